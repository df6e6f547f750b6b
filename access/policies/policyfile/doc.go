// Package policyfile reads and writes policies as a YAML or JSON file, so that they live beside other
// code, and tells the changes that a file would make. The policies with which a server starts are such a
// file, [Defaults].
//
// A file has the members policies, expect and groups:
//
//	groups:
//	  editing: [EDIT_ENTITY_TAGS, EDIT_ENTITY_DOCS]
//	policies:
//	  - id: hr-is-closed
//	    name: HR is closed
//	    deny: ["*"]
//	    who: {everybody: true}
//	    on: {domains: [hr], notTags: [public]}
//	    ends: 2027-01-01
//	expect:
//	  - {actor: piet, privilege: VIEW_ENTITY_PAGE, resource: "urn:li:domain:hr", may: false}
//
// The lists allow and deny name privileges and groups; a name after a minus takes privileges out again.
// In deny, the name of an operation such as READ stands for all privileges that let somebody do it.
package policyfile
