#!/usr/bin/env -S python3 -B
"""Checks the JSON output of every command with --json, and the JSON files of a run, against docs/schemas.

    tests/schemas.py AETIUS

The schemas allow additional fields, because a new field does not change the number of the schema. This
test is stricter: it also fails for a field that the schema does not list, and for a schema, or a command
with --json, that no case uses.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCHEMAS = os.path.join(ROOT, 'docs', 'schemas')
TINY = os.path.join(ROOT, 'tests', 'golden', 'tiny.trace')
WORKLOADS = os.path.join(ROOT, 'tests', 'golden', 'workloads.trace')
EMISSION = os.path.join(ROOT, 'tests', 'golden', 'emission.trace')
FAULTS = os.path.join(ROOT, 'tests', 'golden', 'faults.trace')
PROFILER = os.path.join(ROOT, 'tests', 'golden', 'profiler')
ROWS = os.path.join(ROOT, 'tests', 'golden', 'model-points.csv')

PLAN = '''[sweep]
preset = reference-2008
axis GPU.NumFragmentShaders = 1 2
outputs = cycles shader.busy_cycles
[input tiny]
file = %s
''' % TINY

# Files that the cases read, and the commands that make them.
PREPARE = [
    ['sim', TINY, '-o', 'run', '--capture-blocks', '--pixel', '20,20', '--follow', '0:0:0'],
    ['sim', EMISSION, '-o', 'emitted', '--set', 'GEOMETRYASSEMBLY.OnChipPrimitives=65536', '--follow', '0:0:3'],
    ['sim', TINY, '-o', 'narrow', '--set', 'GPU.NumFragmentShaders=1'],
    ['sim', WORKLOADS, '-o', 'all', '--shader-profile'],
    ['sim', FAULTS, '--frames', '9', '-o', 'faulty'],
    ['sample', WORKLOADS, '-o', 'sample.ini'],
    ['model', 'fit', ROWS, '--frames', 'all', '--frames', 'all', '--frames', 'all', '-o', 'fit.model'],
    ['sweep', 'plan.ini', '-o', 'sweep'],
]
# Schema and command. `run --json` prints the same file as `sim --json`.
CASES = [
    ('run', ['sim', TINY, '-o', 'again', '--json']),
    ('run', ['sim', WORKLOADS, '-o', 'sampled', '--sample', 'sample.ini', '--json']),
    ('blocks', ['blocks', 'run/blocks.color', 'run/blocks.z', '--json']),
    ('compress', ['compress', 'run', '--json']),
    ('doctor', ['doctor', '--json']),
    ('info', ['info', TINY, '--json']),
    ('info', ['info', WORKLOADS, '--draws', '--json']),
    ('info-commands', ['info', WORKLOADS, '--commands', '--json']),
    ('show-draw', ['show', TINY, 'draw', '0:0', '--json']),
    ('show-draw', ['show', WORKLOADS, 'draw', '1:1', '-o', 'shown', '--json']),
    ('show-program', ['show', WORKLOADS, 'program', '--json']),
    ('verify', ['verify', TINY, '--json']),
    ('draws', ['draws', 'all', '--json']),
    ('draws', ['draws', 'all', '--group', 'program', '--json']),
    ('draws', ['draws', 'all', '--group', 'target', '--json']),
    ('draws', ['draws', 'all', '--group', 'texture', '--json']),
    ('draws', ['draws', 'all', '--group', 'label', '--json']),
    ('draws-over', ['draws', 'narrow', '--over', 'run', '--json']),
    ('draws-over', ['draws', 'all', '--over', 'run', '--json']),
    ('compare', ['compare', 'run/frames/frame-0000.png', 'run/frames/frame-0001.png', '--json']),
    ('compare', ['compare', 'run/frames', 'narrow/frames', '--json']),
    ('compare', ['compare', 'run', 'narrow', '--json']),
    ('compare', ['compare', 'run', 'narrow', '--fail-over', 'cycles=100%,pictures=0', '--json']),
    ('compare', ['compare', 'run', 'narrow', '--fail-over', 'cycles=1000%', '--per-draw', '--json']),
    ('compare-columns', ['compare', 'run', 'narrow', 'run', '--json']),
    ('doctor', ['doctor', '--json']),
    ('explain', ['explain', 'cycles', '--json']),
    ('explain', ['explain', 'frame_rate', '--json']),
    ('explain', ['explain', 'hz', '--json']),
    ('explain', ['explain', 'MEMORYCONTROLLER.V2PerfectMemory', '--json']),
    ('params', ['params', '--json']),
    ('params', ['params', '--preset', 'g70-like', '--json']),
    ('params-ideals', ['params', '--ideal', '--json']),
    ('stats', ['stats', '--json']),
    ('topdown', ['topdown', 'all', '--json']),
    ('topdown', ['topdown', 'all', '--draws', '--json']),
    ('topdown', ['topdown', 'all', '--over-time', '--json']),
    ('topdown-program', ['topdown', 'all', '--program', 'all', '--json']),
    ('topdown-program', ['topdown', 'all', '--program', '353682d5', '--draw', '2:0', '--json']),
    ('topdown', ['topdown', 'faulty', '--json']),
    ('whatif', ['whatif', TINY, '--drop', '0:4', '--json']),
    ('topdown-diff', ['topdown', 'run', '--diff', 'narrow', '--json']),
    ('topdown-profile', ['topdown', '--ncu', os.path.join(PROFILER, 'ncu-wide.csv'), '--json', '--over-time']),
    ('topdown-profile', ['topdown', '--nvprof', os.path.join(PROFILER, 'nvprof-metrics.csv'), '--json']),
    ('topdown-profile', ['topdown', '--ncu', 'a=' + os.path.join(PROFILER, 'ncu-wide.csv'),
                         'b=' + os.path.join(PROFILER, 'ncu-long.csv'), '--json']),
    ('sample', ['sample', WORKLOADS, '-o', 'other.ini', '--json']),
    ('sample-against', ['sample', WORKLOADS, '--against', 'all', '--json']),
    ('model-fit', ['model', 'fit', ROWS, '-o', 'other.model', '--json']),
    ('model-fit', ['model', 'check', 'fit.model', ROWS, '--json']),
    ('model-predict', ['model', 'predict', 'fit.model', '--set', 'fragments=1e6', '--set', 'cycles=50', '--json']),
    ('model-frames', ['model', 'predict', 'fit.model', '--trace', TINY, '--json']),
    ('model-frames', ['model', 'predict', 'fit.model', '--trace', WORKLOADS, '--against', 'all', '--json']),
    ('sweep-plan', ['sweep', 'plan.ini', '-o', 'new', '--dry-run', '--json']),
    ('sweep-status', ['sweep', 'status', 'sweep', '--json']),
    ('rows', ['sweep', 'query', 'sweep', 'SELECT * FROM results', '--json']),
    ('rows', ['sweep', 'pareto', 'sweep', 'cycles', 'shader.busy_cycles', '--json']),
    ('rows', ['sweep', 'sensitivity', 'sweep', '--json']),
    ('study', ['study', 'traffic', TINY, '-o', 'study', '--json']),
]
FILES = [('run', 'run/run.json'), ('pixel', 'run/pixel.json'), ('follow', 'run/follow.json'),
         ('follow', 'emitted/follow.json')]
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}


def has_type(value, name):
    if name in ('number', 'integer'):
        return (isinstance(value, (int, float)) and not isinstance(value, bool)
                and (name == 'number' or value == int(value)))
    return isinstance(value, TYPES[name])


def faults(value, schema, root, where):
    """Lists where the value differs from the schema, with the keywords that docs/schemas uses."""
    unknown = set(schema) - {'$schema', '$defs', '$ref', 'title', 'description', 'type', 'properties', 'required',
                             'items', 'additionalProperties', 'anyOf'}
    assert not unknown, unknown
    if '$ref' in schema:
        return faults(value, root['$defs'][schema['$ref'].split('/')[-1]], root, where)
    if 'anyOf' in schema:
        each = [faults(value, one, root, where) for one in schema['anyOf']]
        return [] if [] in each else min(each, key=len)
    names = schema['type'] if isinstance(schema['type'], list) else [schema['type']]
    if not any(has_type(value, name) for name in names):
        return ['%s: %.40r is not of type %s' % (where, value, ' or '.join(names))]
    found = []
    if isinstance(value, dict):
        properties, others = schema.get('properties', {}), schema.get('additionalProperties')
        found += ['%s: lacks %s' % (where, name) for name in schema.get('required', []) if name not in value]
        for name, member in value.items():
            at = '%s.%s' % (where, name)
            if name in properties:
                found += faults(member, properties[name], root, at)
            elif isinstance(others, dict):
                found += faults(member, others, root, at)
            elif not others:
                found.append('%s: the schema does not list it' % at)
    if isinstance(value, list):
        for i, item in enumerate(value):
            found += faults(item, schema['items'], root, '%s[%d]' % (where, i))
    return found


def help_of(aetius, words):
    return subprocess.run([aetius] + words + ['--help'], check=True, stdout=subprocess.PIPE, text=True).stdout


def commands_with_json(aetius):
    """The commands, and the subcommands ("sweep query"), that have the option --json."""
    names = re.findall(r'^  ([a-z]+) ', help_of(aetius, []).split('commands:')[1], re.M)
    for name in names:
        text = help_of(aetius, [name])
        for words in [[name]] + [[name, part] for part in re.findall(r'^  %s ([a-z-]+) ' % name, text, re.M)]:
            if re.search(r'^ +--json ', help_of(aetius, words), re.M):
                yield ' '.join(words)


def output_of(aetius, words):
    ran = subprocess.run([aetius] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # doctor prints its checks and fails if one fails.
    if ran.returncode and words[0] != 'doctor':
        sys.exit('aetius %s: exit status %d: %s' % (' '.join(words), ran.returncode, ran.stderr))
    return ran.stdout


def main():
    aetius = os.path.abspath(sys.argv[1])
    schemas = {name[:-5]: json.load(open(os.path.join(SCHEMAS, name))) for name in sorted(os.listdir(SCHEMAS))}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open('plan.ini', 'w') as plan:
            plan.write(PLAN)
        for words in PREPARE:
            output_of(aetius, words)
        texts = [(name, ' '.join(words), output_of(aetius, words)) for name, words in CASES]
        texts += [(name, path, open(path).read()) for name, path in FILES]
        for name, title, text in texts:
            found += ['%s: %s' % (title, fault) for fault in faults(json.loads(text), schemas[name], schemas[name], '')]
            group = re.search(r'--group (\w+)', title)
            if group and group.group(1) + 's' not in json.loads(text):
                found.append('%s: no list of %ss' % (title, group.group(1)))
        os.chdir(ROOT)
    used = {name for name, _ in CASES + FILES}
    found += ['docs/schemas/%s.json is not used' % name for name in schemas if name not in used]
    covered = [' '.join(words[:2]) + ' ' for _, words in CASES]
    found += ['aetius %s --json has no case' % name for name in commands_with_json(aetius)
              if name != 'run' and not any((case + ' ').startswith(name + ' ') for case in covered)]
    print('\n'.join(found) or '%d outputs have their schemas' % (len(CASES) + len(FILES)))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
