package recent

import "testing"

func TestMap(t *testing.T) {
	m := New[string, int](2)
	if _, ok := m.Get("a"); ok {
		t.Error("an empty map has a value")
	}
	m.Put("a", 1)
	m.Put("b", 2)
	m.Put("c", 3) // a and b are in the old generation now
	if v, ok := m.Get("a"); !ok || v != 1 {
		t.Errorf("a is %d, %t", v, ok)
	}
	m.Put("d", 4) // c and a are in the old generation; b was not used, and is dropped
	if _, ok := m.Get("b"); ok {
		t.Error("b is remembered")
	}
	for key, want := range map[string]int{"a": 1, "c": 3, "d": 4} {
		if v, ok := m.Get(key); !ok || v != want {
			t.Errorf("%s is %d, %t", key, v, ok)
		}
	}
	m.Forget("a", "nothing")
	if _, ok := m.Get("a"); ok {
		t.Error("a was forgotten and is there")
	}
	if m.Has("a") || m.Has("nothing") {
		t.Error("the map has a forgotten key, or one that was never put")
	}
	if n := len(m.young) + len(m.old); n > 4 {
		t.Errorf("%d keys are held, 4 at most are wanted", n)
	}
}

func TestWeighed(t *testing.T) {
	m := NewWeighed[string](10, func(n int) int { return n })
	m.Put("a", 6)
	m.Put("a", 5) // the new weight replaces the former one
	m.Put("b", 5)
	m.Put("c", 1) // a and b are in the old generation now
	if len(m.young) != 1 || len(m.old) != 2 {
		t.Errorf("young %v, old %v", m.young, m.old)
	}
	m.Forget("c", "b")
	if m.weight != 0 {
		t.Errorf("an empty generation weighs %d", m.weight)
	}
	if _, ok := m.Get("b"); ok {
		t.Error("b was forgotten and is there")
	}
}

func TestReadings(t *testing.T) {
	r := NewReadings[string, int](2)
	for name, forget := range map[string]func(){"the key": func() { r.Forget("a") }, "another key": func() { r.Forget("b") }, "all": r.ForgetAll} {
		r.ForgetAll()
		_, _, before := r.Get("a")
		forget()
		r.Put("a", 1, before)
		if _, ok, _ := r.Get("a"); ok {
			t.Errorf("%s was forgotten during a reading whose value is remembered", name)
		}
		_, _, after := r.Get("a")
		r.Put("a", 2, after)
		if v, ok, _ := r.Get("a"); !ok || v != 2 {
			t.Errorf("a is %d, %t", v, ok)
		}
	}
	r.Forget("a")
	if _, ok, _ := r.Get("a"); ok {
		t.Error("a was forgotten and is there")
	}
	_, _, now := r.Get("b")
	r.Put("b", 3, now)
	r.ForgetAll()
	if _, ok, _ := r.Get("b"); ok {
		t.Error("all was forgotten and b is there")
	}
}
