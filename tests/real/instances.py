"""A program of OpenGL 3.1 for `make real PART=moderngl`: instances, a uniform block, a texture and
transform feedback, through moderngl (Debian: python3-moderngl). Each frame is read back."""
import array
import moderngl

FRAMES = 4
SIDE = 256

context = moderngl.create_context(standalone=True, require=310)
program = context.program(
    vertex_shader='''#version 140
    in vec2 place;
    uniform Turns { vec4 turns[8]; };
    out vec2 at;
    void main() {
        vec4 t = turns[gl_InstanceID];
        gl_Position = vec4(mat2(t.x, t.y, -t.y, t.x) * place * 0.3 + t.zw, 0.0, 1.0);
        at = place * 0.5 + 0.5;
    }''',
    fragment_shader='''#version 140
    in vec2 at;
    uniform sampler2D image;
    out vec4 color;
    void main() { color = texture(image, at); }''')
mover = context.program(
    vertex_shader='''#version 140
    in vec4 turn;
    out vec4 turned;
    void main() { turned = vec4(turn.x * 0.8 - turn.y * 0.6, turn.x * 0.6 + turn.y * 0.8, turn.zw); }''',
    varyings=['turned'])

texels = bytes((x * 37 + y * 11 + c * 85) % 256 for y in range(16) for x in range(16) for c in range(4))
image = context.texture((16, 16), 4, texels)
image.use(0)
turns = [v for i in range(8) for v in (1.0, 0.0, i % 4 * 0.45 - 0.68, i // 4 * 0.8 - 0.4)]
buffers = [context.buffer(array.array('f', turns).tobytes()), context.buffer(reserve=128)]
square = context.buffer(array.array('f', [-1, -1, 1, -1, -1, 1, 1, 1]).tobytes())
drawn = context.vertex_array(program, [(square, '2f', 'place')])
target = context.simple_framebuffer((SIDE, SIDE))
program['Turns'].binding = 1
target.use()
for frame in range(FRAMES):
    context.clear(0.2, 0.4, 0.6)
    buffers[0].bind_to_uniform_block(1)
    drawn.render(moderngl.TRIANGLE_STRIP, instances=8)
    target.read()
    context.vertex_array(mover, [(buffers[0], '4f', 'turn')]).transform(buffers[1], moderngl.POINTS, 8)
    buffers.reverse()
