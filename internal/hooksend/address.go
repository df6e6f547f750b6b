package hooksend

import (
	"fmt"
	"net/netip"
	"syscall"
)

// kind is a range of addresses outside the public internet, or of addresses that embed such
// an address.
type kind struct {
	prefix netip.Prefix
	name   string
}

// notPublic are the ranges to which Headwater sends nothing unless the setting allows it.
// They follow IANA's special-purpose registries. Of IPv6, only 2000::/3 is public at all.
var notPublic = []kind{
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a shared address of a carrier"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a relay's address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "an address for measurements"},
	{netip.MustParsePrefix("198.51.100.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "an address for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("::/128"), "an unspecified address"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("fc00::/7"), "a unique-local address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
	{netip.MustParsePrefix("2001::/23"), "a reserved address"},
	{netip.MustParsePrefix("2001:db8::/32"), "an address for documentation"},
	{netip.MustParsePrefix("2002::/16"), "a 6to4 address"},
	{netip.MustParsePrefix("3fff::/20"), "an address for documentation"},
}

var (
	public6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

// NotPublic returns the kind of an address outside the public internet, such as "a private
// address", and "" for a public one. An address that embeds another one (IPv4-mapped,
// NAT64) is of that one's kind.
func NotPublic(a netip.Addr) string {
	if a.Zone() != "" {
		return "an address with a zone"
	}
	a = a.Unmap()
	if nat64.Contains(a) {
		bytes := a.As16()
		a = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	for _, k := range notPublic {
		if k.prefix.Contains(a) {
			return k.name
		}
	}
	if !a.IsValid() || a.Is6() && !public6.Contains(a) {
		return "a reserved address"
	}
	return ""
}

// AddressError is the refusal to connect to an address outside the public internet.
type AddressError struct {
	// Address is the IP address. Kind is its kind, such as "a private address".
	Address, Kind string
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("%s is %s, to which nothing is sent (--webhook-private allows it)", e.Address, e.Kind)
}

// onlyPublic is a net.Dialer.Control that refuses addresses outside the public internet.
// The dialer calls it with the address that it connects to, after it has resolved the name.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address %q: %w", address, err)
	}
	if kind := NotPublic(to.Addr()); kind != "" {
		return &AddressError{Address: to.Addr().String(), Kind: kind}
	}
	return nil
}
