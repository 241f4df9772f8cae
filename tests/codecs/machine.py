#!/usr/bin/env -S python3 -B
"""Checks that a codec in the machine moves the bytes that `aetius compress` counts for it.

    tests/codecs/machine.py AETIUS TRACE...

Simulates each trace with 4 samples per pixel and each color codec. The memory controller must count the
bytes that `compress` computes for the codec, less the masked bytes of partial lines. The color write units
must count as many partial lines as `compress`.
"""

import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()


def frame_sum(folder, statistic):
    """The sum of a statistic over all frames and all instances of its unit."""
    with gzip.open(os.path.join(folder, 'stats.frames.csv.gz'), 'rt', newline='') as table:
        rows = list(csv.DictReader(table))
    unit, name = statistic.split('.')
    columns = [column for column in rows[0]
               if column.split('.')[0].split('[')[0] == unit and column.endswith('.' + name)]
    assert columns, statistic
    return sum(int(row[column]) for row in rows for column in columns)


def check(aetius, trace, codec, folder):
    """Returns the number of mismatches, and the number of partial lines."""
    run = os.path.join(folder, codec)
    output(aetius, 'sim', trace, '-o', run, '--force', '--capture-blocks',
           '--set', 'SIMULATOR.ForceMSAA=TRUE', '--set', 'SIMULATOR.MSAASamples=4',
           '--set', 'COLORWRITE.CompressionAlgorithm=' + codec)
    found = json.loads(output(aetius, 'compress', '--json', os.path.join(run, 'blocks.color')))
    computed = next(of['color_bytes'] for of in found['codecs'] if of['name'] == codec)
    traffic = found['color']
    pairs = {
        'bytes': (frame_sum(run, 'memctl.color_bytes_read') + frame_sum(run, 'memctl.color_bytes_written'),
                  computed - traffic['bytes_masked']),
        'partial lines': (frame_sum(run, 'colorwrite.parts_written'), traffic['partial']),
    }
    wrong = 0
    for what, (machine, compress) in pairs.items():
        if machine != compress:
            wrong += 1
            print('%s, %s: the machine counts %d %s, compress %d' %
                  (os.path.basename(trace), codec, machine, what, compress))
    return wrong, traffic['partial']


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    aetius, traces = sys.argv[1], sys.argv[2:]
    listed = json.loads(output(aetius, 'params', '--json'))
    allowed = next(parameter['allowed'] for parameter in listed['parameters']
                   if (parameter['section'], parameter['name']) == ('COLORWRITE', 'CompressionAlgorithm'))
    names = allowed.replace(' or ', ', ').split(', ')
    wrong, partial, runs = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix='aetius-machine-') as folder:
        for trace in traces:
            for codec in names:
                if codec != 'none':
                    more, lines = check(aetius, trace, codec, folder)
                    wrong, partial, runs = wrong + more, partial + lines, runs + 1
    if not partial:
        wrong += 1
        print('no trace has partial lines')
    print('%d runs compared, %d mismatches' % (runs, wrong))
    sys.exit(wrong != 0)


if __name__ == '__main__':
    main()
