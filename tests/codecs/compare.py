#!/usr/bin/env -S python3 -B
"""Compares the six color codecs of src/codec with the second implementation, second.py.

    tests/codecs/compare.py [--all-levels] AETIUS TRACE...

Captures the color blocks of each trace without multisampling and with 4 samples per pixel. For a bus of
64 and of 32 bytes, `aetius compress` must count as many blocks for each codec and level as second.py.
Also prints the levels that no block of the traces reaches, and with --all-levels fails if there are any.
"""

import csv
import os
import subprocess
import sys
import tempfile

import second

# Illustration 4.7: bytes of hilo's compressed block with 0 to 31 low bits.
HILO_BYTES = (24, 32, 40, 48, 55, 63, 71, 79, 86, 94, 102, 110, 117, 125, 133, 141,
              148, 156, 164, 172, 179, 187, 195, 203, 210, 218, 226, 234, 241, 249, 257, 265)
# Table 4.3: {(references, elements of a sub-block): level of msaa}
MSAA_LEVELS = {(1, 2): 128, (1, 4): 64, (2, 4): 192, (2, 8): 128, (2, 16): 64}


def check_tables():
    """The sizes that second.py derives must be those that the work prints."""
    assert tuple(-(-second.hilo_size(low) // 8) for low in range(32)) == HILO_BYTES
    levels = {cell[1:]: cell[0] for cell in second.msaa_levels(64)}
    assert {cell: levels[cell] for cell in MSAA_LEVELS} == MSAA_LEVELS


def capture(aetius, trace, samples, folder):
    """The raw color blocks of TRACE, with that many samples per pixel."""
    run = os.path.join(folder, '%s-x%d' % (os.path.basename(trace), samples))
    command = [aetius, 'sim', trace, '-o', run, '--capture-blocks']
    if samples > 1:
        command += ['--set', 'SIMULATOR.ForceMSAA=TRUE', '--set', 'SIMULATOR.MSAASamples=%d' % samples]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    blocks = os.path.join(run, 'blocks.color')
    return subprocess.run([aetius, 'blocks', blocks, '--raw'], check=True, stdout=subprocess.PIPE).stdout


def count_ours(aetius, raw, samples):
    """{(codec, bus, level): blocks}. Levels of equal size are added; one without a line is absent."""
    found = {}
    for bus in second.BUSES:
        command = [aetius, 'compress', '-', '--csv', '--bus', str(bus), '--samples', str(samples)]
        text = subprocess.run(command, input=raw, check=True, stdout=subprocess.PIPE).stdout.decode()
        for row in csv.DictReader(text.splitlines()):
            key = row['codec'], bus, int(row['level_bytes'])
            found[key] = found.get(key, 0) + int(row['blocks'])
    return found


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != '--all-levels']
    if len(arguments) < 2:
        sys.exit(__doc__)
    aetius, traces = arguments[0], arguments[1:]
    check_tables()
    compared, wrong, reached = 0, 0, set()
    with tempfile.TemporaryDirectory(prefix='aetius-codecs-') as folder:
        for trace in traces:
            for samples in (1, 4):
                raw = capture(aetius, trace, samples, folder)
                ours = count_ours(aetius, raw, samples)
                codecs = {key[0] for key in ours}
                for key, blocks in second.count(raw).items():
                    # A codec without a line is a mismatch; a level that it cannot have is 0 blocks.
                    found = ours.get(key, 0) if key[0] in codecs else 'no line'
                    compared += 1
                    if blocks:
                        reached.add(key)
                    if found != blocks:
                        wrong += 1
                        print('%s, %d samples: %s, bus %d, level %d: aetius %s, second.py %d' %
                              (os.path.basename(trace), samples, *key, found, blocks))
    # A level that no block reaches is compared in vain.
    unreached = 0
    for codec, (_, levels_of) in second.CODECS.items():
        for bus in second.BUSES:
            for level in {cell[0] for cell in levels_of(bus)} | {second.BLOCK}:
                if (codec, bus, level) not in reached:
                    unreached += 1
                    print('no block reaches %s, bus %d, level %d' % (codec, bus, level))
    print('%d counts compared, %d mismatches, %d levels without blocks' % (compared, wrong, unreached))
    sys.exit(wrong != 0 or (unreached != 0 and '--all-levels' in sys.argv))


if __name__ == '__main__':
    main()
