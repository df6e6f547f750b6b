// Package suggest finds columns whose names say that they hold personal data, and the tags that
// such columns and their datasets usually have. The package reads only names: people decide whether a
// suggestion is right. Refused suggestions are kept as records of the store, and are not made again.
package suggest

import (
	"slices"
	"strings"
	"unicode"
)

// Kind is the kind of data that the name of a column stands for.
type Kind string

// The kinds of personal data.
const (
	Email      Kind = "EMAIL"
	Phone      Kind = "PHONE"
	PersonName Kind = "PERSON_NAME"
	Address    Kind = "ADDRESS"
	PersonalID Kind = "PERSONAL_ID"
	BirthDate  Kind = "BIRTH_DATE"
	Payment    Kind = "PAYMENT"
	IPAddress  Kind = "IP_ADDRESS"
	// Personal is personal data of any kind. A dataset has it if several of its columns may hold personal data.
	Personal Kind = "PERSONAL_DATA"
)

// pattern is a sequence of words in the name of a column. A column with one of the words of except is
// not meant.
type pattern struct {
	kind   Kind
	words  string
	except []string
}

// counted are words of columns that hold a fact about a value and not the value itself.
var counted = []string{"count", "cnt", "num", "total", "is", "has", "valid", "verified", "domain", "type", "template", "status", "flag", "sent", "opened", "hash"}

// patterns are tried in order; the first pattern that matches counts.
var patterns = []pattern{
	{kind: IPAddress, words: "ip address"},
	{kind: IPAddress, words: "ip addr"},
	{kind: IPAddress, words: "client ip"},
	{kind: IPAddress, words: "remote ip"},
	{kind: Email, words: "email"},
	{kind: Email, words: "e mail"},
	{kind: Email, words: "mail address"},
	{kind: Phone, words: "phone"},
	{kind: Phone, words: "telephone"},
	{kind: Phone, words: "mobile number"},
	{kind: Phone, words: "cell number"},
	{kind: Phone, words: "msisdn"},
	{kind: Phone, words: "fax"},
	{kind: PersonName, words: "first name"},
	{kind: PersonName, words: "firstname"},
	{kind: PersonName, words: "last name"},
	{kind: PersonName, words: "lastname"},
	{kind: PersonName, words: "full name"},
	{kind: PersonName, words: "fullname"},
	{kind: PersonName, words: "given name"},
	{kind: PersonName, words: "family name"},
	{kind: PersonName, words: "middle name"},
	{kind: PersonName, words: "maiden name"},
	{kind: PersonName, words: "surname"},
	{kind: PersonName, words: "customer name"},
	{kind: PersonName, words: "employee name"},
	{kind: PersonName, words: "contact name"},
	{kind: PersonName, words: "recipient name"},
	{kind: BirthDate, words: "birth date"},
	{kind: BirthDate, words: "birthdate"},
	{kind: BirthDate, words: "birthday"},
	{kind: BirthDate, words: "date of birth"},
	{kind: BirthDate, words: "dob"},
	{kind: PersonalID, words: "ssn"},
	{kind: PersonalID, words: "social security"},
	{kind: PersonalID, words: "passport"},
	{kind: PersonalID, words: "national id"},
	{kind: PersonalID, words: "tax id"},
	{kind: PersonalID, words: "driver license"},
	{kind: PersonalID, words: "drivers license"},
	{kind: Payment, words: "iban"},
	{kind: Payment, words: "credit card"},
	{kind: Payment, words: "card number"},
	{kind: Payment, words: "bank account"},
	{kind: Payment, words: "cvv"},
	{kind: Address, words: "street"},
	{kind: Address, words: "postal code"},
	{kind: Address, words: "postcode"},
	{kind: Address, words: "zip code"},
	{kind: Address, words: "zipcode"},
	{kind: Address, words: "zip"},
	{kind: Address, words: "address", except: []string{"mac", "memory", "web", "url", "contract", "wallet"}},
}

// KindOf returns the kind of data that the name of a column stands for, "" if it is not known to be personal data. Of a
// path, the last part is the name.
func KindOf(path string) Kind {
	if p := matchOf(path); p != nil {
		return p.kind
	}
	return ""
}

// matchOf returns the pattern that the name of a column matches, nil if there is none.
func matchOf(path string) *pattern {
	words := wordsOf(lastPart(path))
	if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(counted, word) }) {
		return nil
	}
	for i := range patterns {
		p := &patterns[i]
		if holds(words, strings.Fields(p.words)) && !slices.ContainsFunc(p.except, func(word string) bool { return slices.Contains(words, word) }) {
			return p
		}
	}
	return nil
}

// lastPart returns the last part of the path of a column that is no annotation such as [type=string].
func lastPart(path string) string {
	parts := strings.Split(path, ".")
	for i := len(parts) - 1; i >= 0; i-- {
		if !strings.HasPrefix(parts[i], "[") {
			return parts[i]
		}
	}
	return path
}

// wordsOf splits a name at signs and at capital letters.
func wordsOf(name string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	lower := false
	for _, r := range name {
		if !unicode.IsLetter(r) {
			end()
			lower = false
			continue
		}
		if unicode.IsUpper(r) && lower {
			end()
		}
		lower = unicode.IsLower(r)
		word.WriteRune(unicode.ToLower(r))
	}
	end()
	return words
}

// holds reports whether words contain a sequence. The last word of the sequence may have a plural.
func holds(words, sequence []string) bool {
	for i := 0; i+len(sequence) <= len(words); i++ {
		match := true
		for j, want := range sequence {
			got := words[i+j]
			if got != want && (j < len(sequence)-1 || got != want+"s" && got != want+"es") {
				match = false
			}
		}
		if match {
			return true
		}
	}
	return false
}

// own are the ids of tags for one kind alone, shared those for personal data of any kind.
var (
	own = map[Kind][]string{
		Email: {"Email"}, Phone: {"Phone", "PhoneNumber"}, PersonName: {"PersonName", "Name"}, Address: {"Address"}, PersonalID: {"PersonalId", "NationalId"},
		BirthDate: {"BirthDate", "DateOfBirth"}, Payment: {"Payment", "PaymentData"}, IPAddress: {"IpAddress", "IPAddress"},
	}
	shared = []string{"PII", "pii", "PersonalData", "personal-data", "personal_data", "Personal", "personal", "Sensitive", "sensitive"}
)

// TagsFor returns the ids of tags that a column of a kind usually has, the best first.
func TagsFor(kind Kind) []string {
	var ids []string
	for _, id := range own[kind] {
		ids = append(ids, id, strings.ToLower(id))
	}
	return append(ids, shared...)
}
