#!/usr/bin/env python3
"""A second implementation of the six color codecs of the 2008 work, written from its text alone.

    aetius blocks FILE --raw | tests/codecs/second.py
    tests/codecs/second.py RAW

Reads raw color blocks of 256 bytes: 64 little-endian words R<<24|G<<16|B<<8|A. Prints CSV: the number
of blocks that each codec compresses to each level (in bytes), for a bus of 64 and of 32 bytes.
It shares nothing with src/codec, and tests/codecs/compare.py compares the two.

The work is the second of "The five works" in README.md. Numbers of sections, illustrations and
tables are its own. Where it leaves a choice, "Reading:" states what this file does, and "Not taken:"
the alternatives.
"""

import struct
import sys
from collections import Counter

BUSES = (64, 32)
BLOCK = 256  # bytes
ELEMENTS = 64
WIDTH = 32  # bits of an element


# ---- levels of the offset codecs (4.5.1) --------------------------------------------------------


def offset_bits(low, width, references, index):
    """Bits of a compressed block: an index and a low part per element, and the references' high
    parts. A reference's low part is not stored: illustration 4.7 has 24 bytes at 0 low bits and
    265 at 31, which is 64 indices of 2 bits and two references of 32 - low bits.
    a and b follow from min and max, so hilo stores two references for its four."""
    return ELEMENTS * (index + low) + references * (width - low)


def low_bits(size, width, bus):
    """[(level, low bits)], smallest level first. A level has the widest low part that fits.
    A level that cannot hold even a low part of 0 bits is left out."""
    levels = []
    for level in range(bus, BLOCK, bus):
        fitting = [low for low in range(width) if size(low) <= 8 * level]
        if fitting:
            levels.append((level, fitting[-1]))
    return levels


def hilo_size(low):
    return offset_bits(low, WIDTH, references=2, index=2)


def two_references_size(low):
    return offset_bits(low, WIDTH, references=2, index=1)


def four_references_size(low):
    # Four references that follow from nothing else are all stored: "the more references we have,
    # the larger the compressed block" (hilorebi).
    return offset_bits(low, WIDTH, references=4, index=2)


def comp_size(low):
    # Reading: every component has the same low part; the four outputs are of one size.
    # Not taken: bits that remain below a level (64 bytes: 192 bits, at 62 per low bit of one
    # component) widen the low part of some components. The text has one process per component,
    # "as explained for the others", and the outputs are then joined.
    return 4 * offset_bits(low, 8, references=2, index=1)


# ---- hilo ---------------------------------------------------------------------------------------


def hilo(block, levels):
    # Reading: an element is compressed if its high part equals that of min, max, a or b, with
    # a = min + offset, b = max - offset, offset = 1 << low. "From here on, a comparison with the
    # references means a comparison of the high parts."
    # Not taken: the ranges of whole values of illustration 4.5, [min, min + 2 offset) and
    # (max - 2 offset, max]. They would need whole references, which illustration 4.7 rules out.
    for level, low in levels:
        least, most = block.least >> low, block.most >> low
        if {word >> low for word in block.distinct} <= {least, least + 1, most - 1, most}:
            return level
    return BLOCK


# ---- hilore, hilorebi, hilore4ref ---------------------------------------------------------------


class HighParts(dict):
    """High parts of reordered words, for one width of the low part.

    Each component gives its low // 4 low bits to the low part. The reordered word is
    Hr Hg Hb Ha Lr Lg Lb La (illustration 4.11). It is cut at `low`: with 5 low bits and 1 of each
    component, "one bit of the color's low part remains, which is filled by a bit that would belong
    to the high part". The word's order makes that the lowest bit of Ha.

    Reading: bits in the order of the components, R first, as in the word itself (illustration 4.4);
    every component gives the same number, rounded down.
    Not taken: the remaining bits come from R, G and B in turn (an uneven split), or the number of
    each component is rounded up. The text's "5 and 1" rules out the second, and its "filled by a bit
    of the high part" the first."""

    def __init__(self, low):
        super().__init__()
        self.low = low
        self.each = low // 4

    def __missing__(self, word):
        highs = lows = 0
        for component in word.to_bytes(4, 'big'):
            highs = highs << (8 - self.each) | component >> self.each
            lows = lows << self.each | component & ((1 << self.each) - 1)
        self[word] = high = (highs << 4 * self.each | lows) >> self.low
        return high


HIGH_PARTS = {low: HighParts(low) for low in range(WIDTH)}


def high_parts(words, low):
    parts = HIGH_PARTS[low]
    return [parts[word] for word in words]


def hilore(block, levels):
    for level, low in levels:
        highs = set(high_parts(block.distinct, low))
        if highs <= {min(highs), max(highs)}:
            return level
    return BLOCK


def hilorebi(block, levels):
    # Reading: the two partitions are the first and the second half of the block.
    # Not taken: even and odd elements. The text says "divide the block in two partitions" only.
    for level, low in levels:
        first = set(high_parts(block.halves[0], low))
        second = set(high_parts(block.halves[1], low))
        if first | second <= {min(first), max(first), min(second), max(second)}:
            return level
    return BLOCK


def hilore4ref(block, levels):
    # The third reference is the first element from the start that differs from min; the fourth is the
    # first from the end that differs from max.
    # Reading: "differs" compares high parts, as every comparison with a reference (see hilo).
    # Not taken: whole elements differ, which could give a reference the same high part again.
    for level, low in levels:
        highs = high_parts(block.words, low)
        least, most = min(highs), max(highs)
        third = next((high for high in highs if high != least), least)
        fourth = next((high for high in reversed(highs) if high != most), most)
        if set(highs) <= {least, most, third, fourth}:
            return level
    return BLOCK


# ---- comp ---------------------------------------------------------------------------------------


def comp(block, levels):
    for level, low in levels:
        for values in block.components:
            highs = {value >> low for value in values}
            if not highs <= {min(highs), max(highs)}:
                break
        else:
            return level
    return BLOCK


# ---- msaa (4.5.2) -------------------------------------------------------------------------------


def msaa_bytes(references, elements):
    """Bytes of a block whose sub-blocks have that many elements and references. With two references
    each element has one bit that selects one."""
    return ELEMENTS // elements * references * 4 + (ELEMENTS // 8 if references == 2 else 0)


def msaa_levels(bus):
    # Reading: all sizes of sub-blocks, 1 or 2 references, rounded up to the bus. With a bus of 64
    # bytes this is table 4.3: what it leaves empty implies another cell of the same size.
    # The text has no bus of 32 bytes. It leaves out sub-blocks of 8 equal elements because 32 bytes
    # are below its bus, so they are a level here, as are 32 elements with 2 references (24 bytes).
    # Not taken: the cells of table 4.3 alone, rounded to 32 bytes.
    return sorted(
        (-(-msaa_bytes(references, elements) // bus) * bus, references, elements)
        for references, smallest in ((1, 2), (2, 4))
        for elements in (2, 4, 8, 16, 32, 64)
        if elements >= smallest)


def msaa(block, levels):
    for level, references, elements in levels:
        if all(len(set(block.words[at:at + elements])) <= references
               for at in range(0, ELEMENTS, elements)):
            return level
    return BLOCK


# ---- counting -----------------------------------------------------------------------------------


class Block:
    def __init__(self, data):
        self.words = struct.unpack('<64I', data)
        self.distinct = set(self.words)
        self.least, self.most = min(self.distinct), max(self.distinct)
        self.halves = set(self.words[:ELEMENTS // 2]), set(self.words[ELEMENTS // 2:])
        self.components = [set(data[byte::4]) for byte in range(4)]


CODECS = {
    'hilo': (hilo, lambda bus: low_bits(hilo_size, WIDTH, bus)),
    'hilore': (hilore, lambda bus: low_bits(two_references_size, WIDTH, bus)),
    'hilorebi': (hilorebi, lambda bus: low_bits(four_references_size, WIDTH, bus)),
    'hilore4ref': (hilore4ref, lambda bus: low_bits(four_references_size, WIDTH, bus)),
    'comp': (comp, lambda bus: low_bits(comp_size, 8, bus)),
    'msaa': (msaa, msaa_levels),
}


def count(raw):
    """{(codec, bus, level): blocks} of raw blocks, levels without blocks included."""
    if len(raw) % BLOCK:
        raise ValueError('%d bytes are not a whole number of blocks' % len(raw))
    found = {(codec, bus, level): 0
             for codec in CODECS for bus in BUSES for level in range(bus, BLOCK + 1, bus)}
    times = Counter(raw[at:at + BLOCK] for at in range(0, len(raw), BLOCK))
    for data, blocks in times.items():
        block = Block(data)
        for codec, bus, compress, levels in PLAN:
            found[codec, bus, compress(block, levels)] += blocks
    return found


PLAN = [(codec, bus, compress, levels_of(bus))
        for codec, (compress, levels_of) in CODECS.items() for bus in BUSES]


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (['-h'], ['--help']):
        sys.exit(__doc__)
    if len(sys.argv) == 2 and sys.argv[1] != '-':
        with open(sys.argv[1], 'rb') as file:
            raw = file.read()
    else:
        raw = sys.stdin.buffer.read()
    if raw.startswith(b'AETBLK\x1a\n'):
        sys.exit('second.py: this is a block file: aetius blocks FILE --raw | second.py')
    try:
        found = count(raw)
    except ValueError as error:
        sys.exit('second.py: %s' % error)
    print('codec,bus,level,blocks')
    for (codec, bus, level), blocks in found.items():
        print('%s,%d,%d,%d' % (codec, bus, level, blocks))


if __name__ == '__main__':
    main()
