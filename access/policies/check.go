package policies

import (
	"fmt"

	"github.com/headwater-io/headwater/internal/nearest"
)

// Problem is a mistake in a policy.
type Problem struct {
	// Policy is the ID of the policy, Member the place in it, such as resources.filter[0].field.
	Policy, Member string
	Message        string
}

func (p Problem) Error() string { return "policy " + p.Policy + ": " + p.Member + ": " + p.Message }

// Check returns the problems of a policy that a caller wants to write, unknown names of privileges included.
func (p *Policy) Check() []Problem { return p.check(true) }

func (p *Policy) check(privileges bool) []Problem {
	c := checker{policy: p.ID}
	if p.Name == "" {
		c.add("displayName", "a policy needs a name")
	}
	c.among("type", "type of policy", "types", string(p.Type), types)
	c.among("state", "state", "states", string(p.State), states)
	if p.Effect != "" {
		c.among("effect", "effect", "effects", string(p.Effect), effects)
	}
	if privileges {
		for i, name := range p.Privileges {
			if name == EveryPrivilege {
				if !p.denies() {
					c.add(fmt.Sprintf("privileges[%d]", i), "only a policy that denies may name "+EveryPrivilege)
				}
				continue
			}
			c.among(fmt.Sprintf("privileges[%d]", i), "privilege", "privileges", name, privilegeNames)
		}
	}
	if r := p.Resources; r != nil {
		c.criteria("resources.filter", r.Filter)
		c.criteria("resources.privilegeConstraints", r.Constraints)
	}
	return c.problems
}

type checker struct {
	policy   string
	problems []Problem
}

func (c *checker) add(member, message string) {
	c.problems = append(c.problems, Problem{c.policy, member, message})
}

// among finds a problem if a name is not one of the known ones.
func (c *checker) among(member, what, plural, name string, known []string) {
	if message := Unknown(what, plural, name, known); message != "" {
		c.add(member, message)
	}
}

// Unknown returns the text that a name is unknown, with similar names; "" if the name is known.
func Unknown(what, plural, name string, known []string) string {
	for _, k := range known {
		if k == name {
			return ""
		}
	}
	return fmt.Sprintf("there is no %s %q%s", what, name, nearest.Among(name, known, plural))
}

func (c *checker) criteria(member string, criteria []Criterion) {
	for i, criterion := range criteria {
		at := fmt.Sprintf("%s[%d]", member, i)
		if _, known := criterion.field(); !known {
			c.among(at+".field", "field", "fields", criterion.Field, fields)
		}
		c.among(at+".condition", "condition", "conditions", string(criterion.Condition), conditions)
	}
}
