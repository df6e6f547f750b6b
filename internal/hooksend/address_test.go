package hooksend

import (
	"net/netip"
	"testing"
)

func TestNotPublic(t *testing.T) {
	for text, public := range map[string]bool{
		"1.1.1.1": true, "8.8.8.8": true, "172.15.255.255": true, "172.32.0.1": true, "100.63.255.255": true, "100.128.0.0": true,
		"192.167.255.255": true, "192.169.0.1": true, "9.255.255.255": true, "11.0.0.0": true, "223.255.255.255": true,
		"2606:4700::1": true, "2a00:1450:4001::200e": true, "::ffff:8.8.8.8": true, "64:ff9b::808:808": true, "2001:4860:4860::8888": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "10.255.255.255": false, "100.64.0.0": false, "100.127.255.255": false,
		"127.0.0.1": false, "127.255.0.1": false, "169.254.169.254": false, "172.16.0.0": false, "172.31.255.255": false, "192.168.1.1": false,
		"192.0.0.170": false, "192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false,
		"239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "2606:4700::1%eth0": false, "fc00::1": false, "fd12:3456::1": false, "fec0::1": false,
		"ff02::1": false, "2001:db8::1": false, "2001::1": false, "2002:7f00:1::": false, "2002:808:808::": false, "3fff::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::127.0.0.1": false, "64:ff9b::7f00:1": false, "64:ff9b::a00:1": false,
		"64:ff9b:1::808:808": false, "64:ff9b::6440:1": false, "100::1": false, "4000::1": false, "5f00::1": false,
	} {
		if kind := NotPublic(netip.MustParseAddr(text)); (kind == "") != public {
			t.Errorf("%s: %q, want public %t", text, kind, public)
		}
	}
	if NotPublic(netip.Addr{}) == "" {
		t.Error("no address at all is public")
	}
}

// FuzzNotPublic: an address that Go calls private is never public. All spellings of an
// address are of the same kind.
func FuzzNotPublic(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "8.8.8.8", "::ffff:10.1.2.3", "fd00::1", "64:ff9b::1", "2002::1"} {
		a := netip.MustParseAddr(seed).As16()
		f.Add(a[:])
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) != 16 {
			return
		}
		a := netip.AddrFrom16([16]byte(raw))
		inner := a.Unmap()
		forbidden := inner.IsPrivate() || inner.IsLoopback() || inner.IsLinkLocalUnicast() || inner.IsMulticast() || inner.IsUnspecified()
		if kind := NotPublic(a); forbidden && kind == "" {
			t.Errorf("%s is public", a)
		}
		v4 := netip.AddrFrom4([4]byte(raw[12:]))
		mapped := netip.AddrFrom16(v4.As16())
		translated := nat64.Addr().As16()
		copy(translated[12:], raw[12:])
		for _, same := range []netip.Addr{mapped, netip.AddrFrom16(translated)} {
			if got, want := NotPublic(same), NotPublic(v4); got != want {
				t.Errorf("%s: %q, but %s: %q", same, got, v4, want)
			}
		}
	})
}
