package object

import (
	"context"

	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// Form is a list of questions about entities. Values of structured properties answer the
// questions.
type Form struct{ *Node }

// FormInfo has the questions of a form, and the people who are asked.
type FormInfo struct {
	Name        string               `json:"name"`
	Description *string              `json:"description"`
	StoredType  *FormType            `json:"type"`
	Prompts     []*FormPrompt        `json:"prompts"`
	Actors      *FormActorAssignment `json:"actors"`
}

// Type is COMPLETION unless another type is stated.
func (i *FormInfo) Type() FormType { return optional.Or(i.StoredType, FormTypeCompletion) }

func (i *FormInfo) complete(n *Node, below *Batch) {
	if i.Prompts == nil {
		i.Prompts = []*FormPrompt{}
	}
	for _, p := range i.Prompts {
		p.FormUrn = n.URN
		if property := entityAs[*StructuredPropertyEntity](below, p.Params.URN); property != nil {
			p.StructuredPropertyParams = &StructuredPropertyParams{StructuredProperty: property}
		}
	}
	if i.Actors == nil {
		i.Actors = &FormActorAssignment{}
	}
	i.Actors.Users = entitiesAs[*CorpUser](below, i.Actors.UserURNs)
	i.Actors.Groups = entitiesAs[*CorpGroup](below, i.Actors.GroupURNs)
}

// FormPrompt is a question of a form.
type FormPrompt struct {
	ID          string         `json:"id"`
	Title       string         `json:"title"`
	Description *string        `json:"description"`
	Type        FormPromptType `json:"type"`
	Required    bool           `json:"required"`
	Params      struct {
		URN string `json:"urn"`
	} `json:"structuredPropertyParams"`
	FormUrn                  string                    `json:"-"`
	StructuredPropertyParams *StructuredPropertyParams `json:"-"`
}

// FormActorAssignment says who is asked to complete a form.
type FormActorAssignment struct {
	StoredOwners *bool        `json:"owners"`
	UserURNs     []string     `json:"users"`
	GroupURNs    []string     `json:"groups"`
	Users        []*CorpUser  `json:"-"`
	Groups       []*CorpGroup `json:"-"`
}

// Owners says whether the owners of an entity are asked. It is true unless the form states
// otherwise.
func (a *FormActorAssignment) Owners() bool { return optional.Or(a.StoredOwners, true) }

// Info has the questions of the form, and the people who are asked.
func (f *Form) Info(ctx context.Context) (*FormInfo, error) {
	return aspect[FormInfo](ctx, f.Node, model.AspectFormInfo)
}

// Forms are the forms of an entity.
type Forms struct {
	IncompleteForms []*FormAssociation             `json:"incompleteForms"`
	CompletedForms  []*FormAssociation             `json:"completedForms"`
	Verifications   []*FormVerificationAssociation `json:"verifications"`
}

// FormAssociation is a form of an entity, with the prompts that are answered.
type FormAssociation struct {
	URN               string                   `json:"urn"`
	IncompletePrompts []*FormPromptAssociation `json:"incompletePrompts"`
	CompletedPrompts  []*FormPromptAssociation `json:"completedPrompts"`
	Form              *Form                    `json:"-"`
	AssociatedUrn     string                   `json:"-"`
}

// FormPromptAssociation is a prompt of a form of an entity.
type FormPromptAssociation struct {
	ID                string                       `json:"id"`
	LastModified      *ResolvedAuditStamp          `json:"lastModified"`
	FieldAssociations *FormPromptFieldAssociations `json:"fieldAssociations"`
}

// FieldFormPromptAssociation says for a column whether a prompt is answered.
type FieldFormPromptAssociation struct {
	FieldPath    string              `json:"fieldPath"`
	LastModified *ResolvedAuditStamp `json:"lastModified"`
}

// FormVerificationAssociation says when a form was verified, and by whom.
type FormVerificationAssociation struct {
	URN          string              `json:"form"`
	LastModified *ResolvedAuditStamp `json:"lastModified"`
	Form         *Form               `json:"-"`
}

func (f *Forms) complete(n *Node, below *Batch) {
	f.IncompleteForms, f.CompletedForms = formsIn(f.IncompleteForms, n, below), formsIn(f.CompletedForms, n, below)
	verified := make([]*FormVerificationAssociation, 0, len(f.Verifications))
	for _, v := range f.Verifications {
		if v.Form = entityAs[*Form](below, v.URN); v.Form != nil {
			v.LastModified.complete(below)
			verified = append(verified, v)
		}
	}
	f.Verifications = verified
}

// formsIn completes forms, and leaves out each form whose URN is not the URN of a form.
func formsIn(stored []*FormAssociation, n *Node, below *Batch) []*FormAssociation {
	forms := make([]*FormAssociation, 0, len(stored))
	for _, f := range stored {
		if f.Form = entityAs[*Form](below, f.URN); f.Form == nil {
			continue
		}
		f.AssociatedUrn = n.URN
		for _, prompts := range [][]*FormPromptAssociation{f.IncompletePrompts, f.CompletedPrompts} {
			for _, p := range prompts {
				p.complete(below)
			}
		}
		forms = append(forms, f)
	}
	return forms
}

func (p *FormPromptAssociation) complete(below *Batch) {
	p.LastModified.complete(below)
	if p.FieldAssociations == nil {
		return
	}
	for _, fields := range [][]*FieldFormPromptAssociation{p.FieldAssociations.CompletedFieldPrompts, p.FieldAssociations.IncompleteFieldPrompts} {
		for _, f := range fields {
			f.LastModified.complete(below)
		}
	}
}

// Forms reads the forms of the entity.
func (n *Node) Forms(ctx context.Context) (*Forms, error) {
	return aspect[Forms](ctx, n, model.AspectForms)
}
