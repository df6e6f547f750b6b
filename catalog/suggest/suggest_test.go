package suggest_test

import (
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog/suggest"
)

func TestKindOf(t *testing.T) {
	for name, want := range map[string]suggest.Kind{
		"email": suggest.Email, "customer_email": suggest.Email, "emailAddress": suggest.Email, "e_mail": suggest.Email, "EMAILS": suggest.Email,
		"phone": suggest.Phone, "phoneNumber": suggest.Phone, "home_phone_1": suggest.Phone, "fax": suggest.Phone,
		"first_name": suggest.PersonName, "LastName": suggest.PersonName, "surname": suggest.PersonName, "customer_name": suggest.PersonName,
		"street": suggest.Address, "billing_address": suggest.Address, "addresses": suggest.Address, "zip": suggest.Address, "postal_code": suggest.Address,
		"ssn": suggest.PersonalID, "passport_no": suggest.PersonalID, "dob": suggest.BirthDate, "dateOfBirth": suggest.BirthDate,
		"iban": suggest.Payment, "credit_card": suggest.Payment, "ip_address": suggest.IPAddress, "clientIp": suggest.IPAddress,
		"[version=2.0].[type=record].customer.[type=string].email": suggest.Email, "customer.email.[type=string]": suggest.Email,
		"": "", "id": "", "name": "", "order_id": "", "product_name": "", "email_count": "", "is_email": "", "hasPhone": "", "email_domain": "",
		"mac_address": "", "web_address": "", "streetwear": "", "phonetic": "", "email.sent_at": "", "zipped": "", "capital": "",
	} {
		if got := suggest.KindOf(name); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}

// A tag for the kind alone comes before one for all personal data.
func TestTagsFor(t *testing.T) {
	ids := suggest.TagsFor(suggest.Email)
	if ids[0] != "Email" || slices.Index(ids, "PII") < slices.Index(ids, "email") {
		t.Error(ids)
	}
}
