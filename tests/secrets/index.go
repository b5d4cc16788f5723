package secrets

import "encoding/binary"

// An Index finds the bodies of many credentials in long texts.
type Index struct {
	names map[[minLeak]byte]string // shape of each 12 bytes in a row of a body
	first [1 << 22 / 64]uint64     // a bit for each beginning of those: most of a text has none
}

// NewIndex returns an index of the bodies of a pool.
func NewIndex(pool []Credential) *Index {
	x := &Index{names: map[[minLeak]byte]string{}}
	for _, c := range pool {
		for _, b := range c.Bodies {
			for i := 0; i+minLeak <= len(b); i++ {
				piece := [minLeak]byte([]byte(b[i : i+minLeak]))
				h := beginning(piece[:])
				x.names[piece] = c.Name
				x.first[h/64] |= 1 << (h % 64)
			}
		}
	}
	return x
}

func beginning(b []byte) uint32 { return binary.LittleEndian.Uint32(b) * 2654435761 >> 10 }

// Find returns the shape and the place of the first leak in text; at is -1 when there is none.
func (x *Index) Find(text []byte) (name string, at int) {
	for i := 0; i+minLeak <= len(text); i++ {
		h := beginning(text[i:])
		if x.first[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		if name, ok := x.names[[minLeak]byte(text[i:i+minLeak])]; ok {
			return name, i
		}
	}
	return "", -1
}
