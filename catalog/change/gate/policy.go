// Package gate decides whether a change may pass, by a policy in a file. It reads no clock and no file itself.
package gate

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

// Rule is a finding for which a change is refused.
type Rule string

// The rules.
const (
	CertainImpact  Rule = "certain impact"
	CertainOutside Rule = "certain impact outside my domain"
	PossibleImpact Rule = "possible impact"
	Contract       Rule = "contract"
	Assertion      Rule = "assertion"
	PersonalData   Rule = "personal data"
	TableRemoved   Rule = "table removed"
	NotUnderstood  Rule = "not understood"
)

var rules = []string{
	string(CertainImpact), string(CertainOutside), string(PossibleImpact), string(Contract), string(Assertion), string(PersonalData), string(TableRemoved), string(NotUnderstood),
}

// Policy lists the reasons for which a change is refused.
type Policy struct {
	// FailOn are the findings for which a change is refused.
	FailOn []Rule
	// Domains are the domains of those who make the change, as names or URNs.
	Domains    []string
	Exceptions []Exception
}

// Exception lets a finding pass until a day.
type Exception struct {
	// Affects is the name or URN of the affected entity, and Change the table or the column that changes. In both, * stands for any
	// letters but dots and slashes. "" means any; one of the two is given.
	Affects, Change string
	// Who answers for the exception, Until is its last day, in UTC, and Reason says why.
	Who    string
	Until  time.Time
	Reason string
	// Line is the line in the file.
	Line int
}

// Usual is the policy without a file: a change is refused for each certain impact.
func Usual() *Policy { return &Policy{FailOn: []Rule{CertainImpact}} }

// Parse reads a policy. An error names the line, and for an unknown name the nearest one.
func Parse(text []byte) (*Policy, error) {
	if len(text) > limits.CheckPolicyBytes {
		return nil, fmt.Errorf("a policy may have %d bytes", limits.CheckPolicyBytes)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, errors.New("the policy is empty")
	}
	p := &Policy{}
	ruled := false
	err := each(document.Content[0], []string{"fail on", "domain", "exceptions"}, func(name string, value *yaml.Node) (err error) {
		switch name {
		case "fail on":
			ruled = true
			p.FailOn, err = ruleList(value)
		case "domain":
			p.Domains, err = texts(value)
		case "exceptions":
			p.Exceptions, err = exceptions(value)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case !ruled:
		return nil, errors.New(`the policy lacks "fail on"`)
	case slices.Contains(p.FailOn, CertainOutside) && len(p.Domains) == 0:
		return nil, fmt.Errorf("%q needs the domain", CertainOutside)
	}
	return p, nil
}

// each reads the members of a mapping.
func each(node *yaml.Node, known []string, read func(name string, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: names with values are expected", node.Line)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i]
		if !slices.Contains(known, name.Value) {
			return fmt.Errorf("line %d: unknown name %q%s", name.Line, name.Value, nearest.Among(name.Value, known, "names"))
		}
		if err := read(name.Value, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// texts reads a text or a list of texts.
func texts(node *yaml.Node) ([]string, error) {
	list := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		list = node.Content
	}
	var all []string
	for _, one := range list {
		if one.Kind != yaml.ScalarNode || one.Value == "" {
			return nil, fmt.Errorf("line %d: a text is expected", one.Line)
		}
		all = append(all, one.Value)
	}
	return all, nil
}

func ruleList(node *yaml.Node) ([]Rule, error) {
	names, err := texts(node)
	if err != nil {
		return nil, err
	}
	var all []Rule
	for i, name := range names {
		if !slices.Contains(rules, name) {
			line := node.Line
			if node.Kind == yaml.SequenceNode {
				line = node.Content[i].Line
			}
			return nil, fmt.Errorf("line %d: unknown rule %q%s", line, name, nearest.Among(name, rules, "rules"))
		}
		all = append(all, Rule(name))
	}
	return all, nil
}

func exceptions(node *yaml.Node) ([]Exception, error) {
	if node.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: a list of exceptions is expected", node.Line)
	}
	if len(node.Content) > limits.CheckExceptions {
		return nil, fmt.Errorf("line %d: a policy may have %d exceptions", node.Content[limits.CheckExceptions].Line, limits.CheckExceptions)
	}
	var all []Exception
	for _, one := range node.Content {
		e := Exception{Line: one.Line}
		err := each(one, []string{"affects", "change", "who", "until", "reason"}, func(name string, value *yaml.Node) error {
			if value.Kind != yaml.ScalarNode {
				return fmt.Errorf("line %d: %s is a text", value.Line, name)
			}
			var err error
			switch name {
			case "affects":
				e.Affects, err = pattern(value)
			case "change":
				e.Change, err = pattern(value)
			case "who":
				e.Who = strings.TrimSpace(value.Value)
			case "reason":
				e.Reason = strings.TrimSpace(value.Value)
			case "until":
				if e.Until, err = time.Parse(time.DateOnly, value.Value); err != nil {
					err = fmt.Errorf("line %d: until is a day, such as 2026-12-31, and not %q", value.Line, value.Value)
				}
			}
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case e.Affects == "" && e.Change == "":
			return nil, fmt.Errorf("line %d: an exception says what it affects or which change it is about", e.Line)
		case e.Who == "" || e.Reason == "" || e.Until.IsZero():
			return nil, fmt.Errorf("line %d: an exception says who answers for it, until when, and a reason", e.Line)
		}
		all = append(all, e)
	}
	return all, nil
}

func pattern(node *yaml.Node) (string, error) {
	if _, err := path.Match(node.Value, ""); err != nil {
		return "", fmt.Errorf("line %d: %q is not a pattern", node.Line, node.Value)
	}
	return node.Value, nil
}
