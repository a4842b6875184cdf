"""GLSL 4.30 of the opengl renderer: Habitat's flat shading, with depth, object id and normal beside the colour.

The depth buffer holds z / (z + 1): with a near plane at 1 cm, OpenGL's own scale tells surfaces 20 m away apart
only from 3 mm on, this one from 0.03 mm on.
"""

from __future__ import annotations

from collections.abc import Sequence

from nav_eval.engine.people.draw import SHADOW, SHADOW_HEIGHT, SHADOW_REACH

VERTEX = """
#version 430
in vec3 position;
in vec2 uv;
in vec2 light_uv;
in vec4 color;
uniform mat4 clip;
uniform vec3 eye;
out vec3 place;
out vec2 at;
out vec2 light_at;
out vec4 tint;
void main() {
    place = position - eye;
    at = uv;
    light_at = light_uv;
    tint = color;
    gl_Position = clip * vec4(place, 1.0);
}
"""

BACKGROUND_VERTEX = """
#version 430
uniform mat3 view;
uniform vec2 spread;
out vec3 place;
out vec2 at;
out vec2 light_at;
out vec4 tint;
void main() {
    vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    place = view * vec3((corner * 2.0 - 1.0) * spread, 1.0);
    at = vec2(0.0);
    light_at = vec2(0.0);
    tint = vec4(0.0);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
"""

FRAGMENT = """
#version 430
in vec3 place;
in vec2 at;
in vec2 light_at;
in vec4 tint;
uniform bool blank = false;
uniform bool open = false;
layout(binding = 2) uniform sampler2DArray sky;
uniform bool lit;
uniform bool textured;
uniform bool lightmapped;
uniform bvec2 mirror;
uniform vec4 factor;
uniform float cutoff;
uniform vec3 ahead;
uniform int first_triangle;
uniform sampler2D image;
uniform sampler2D lightmap;
uniform int person = 0;
uniform int people = 0;
layout(std430, binding = 0) readonly buffer Objects { int object_of[]; };
layout(std430, binding = 1) readonly buffer Feet { vec4 feet[]; };
OUTPUTS

vec4 sampled() {
    vec2 folded = vec2(1.0) - abs(mod(at, 2.0) - 1.0);
    return textureGrad(image, mix(at, folded, vec2(mirror)), dFdx(at), dFdy(at));
}

vec4 beyond() {
    vec3 size = abs(place);
    vec3 to = place;
    vec3 spot = size.z >= size.x ? (to.z > 0.0 ? vec3(-to.x, -to.y, 2.0) : vec3(to.x, -to.y, 0.0)) / vec3(size.zz, 1.0)
                                 : (to.x > 0.0 ? vec3(to.z, -to.y, 3.0) : vec3(-to.z, -to.y, 1.0)) / vec3(size.xx, 1.0);
    if (size.y > max(size.x, size.z))
        spot = (to.y > 0.0 ? vec3(to.x, -to.z, 4.0) : vec3(to.x, to.z, 5.0)) / vec3(size.yy, 1.0);
    return vec4(textureLod(sky, vec3(spot.xy * 0.5 + 0.5, spot.z), 0.0).rgb, 1.0);
}

float shaded() {
    float kept = 1.0;
    for (int k = 0; k < people; k++) {
        vec3 gap = (place - feet[k].xyz) / vec3(REACH, LOW, REACH);
        float left = max(1.0 - dot(gap.xz, gap.xz), 0.0);
        if (abs(gap.y) <= 1.0) kept *= 1.0 - SHADOW * left * left;
    }
    return kept;
}

void main() {
    if (blank) {
        gl_FragDepth = 1.0;
        rgb = open ? beyond() : vec4(0.0);
        depth = 0.0;
        semantic = 0;
        normal = vec4(0.0);
        return;
    }
    vec3 light = lightmapped ? texture(lightmap, light_at).rgb * (255.0 / 128.0) : tint.rgb;
    vec4 color = factor * vec4(light, tint.a);
    if (textured) color *= sampled();
    if (color.a < cutoff) discard;
    vec3 facing = normalize(cross(dFdx(place), dFdy(place)));
    facing *= dot(facing, place) > 0.0 ? -1.0 : 1.0;
    if (lit) color.rgb *= 0.35 + 0.45 * abs(dot(facing, ahead)) + 0.2 * (0.5 + 0.5 * facing.y);
    rgb = vec4(person == 0 ? color.rgb * shaded() : color.rgb, 1.0);
    depth = 1.0 / gl_FragCoord.w;
    gl_FragDepth = depth / (depth + 1.0);
    semantic = person == 0 ? object_of[first_triangle + gl_PrimitiveID] : person;
    normal = vec4(facing, 0.0);
}
"""

TYPES = {"rgb": "vec4", "depth": "float", "semantic": "int", "normal": "vec4"}


def fragment(outputs: Sequence[str]) -> str:
    """The fragment shader that writes `outputs` to attachments in that order; the others stay local."""
    lines = [
        f"layout(location = {outputs.index(name)}) out {kind} {name};" if name in outputs else f"{kind} {name};"
        for name, kind in TYPES.items()
    ]
    text = FRAGMENT.replace("OUTPUTS", "\n".join(lines))
    for name, value in {"SHADOW": SHADOW, "REACH": SHADOW_REACH, "LOW": SHADOW_HEIGHT}.items():
        text = text.replace(name, str(value))
    return text
