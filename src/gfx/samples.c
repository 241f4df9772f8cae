/* The sample patterns (docs/design/rasterizer.md, Multisampling). The pattern of 4 samples is that
 * of the reference renderer. The patterns of 2 and 8 have no reference. All are rotated grids: no
 * two samples of a pixel share a row or column of 1/16 pixel. Positions as fractions of the pixel
 * from its top left corner:
 *
 *     2: (.75,.75) (.25,.25)
 *     4: (.375,.125) (.875,.375) (.125,.625) (.625,.875)
 *     8: (.5625,.3125) (.4375,.6875) (.8125,.5625) (.3125,.1875)
 *        (.1875,.8125) (.0625,.4375) (.6875,.9375) (.9375,.0625) */
#include "gfx/samples.h"

#include "base/error.h"

const struct sample_position *
sample_positions(uint32_t samples)
{
    static const struct sample_position one[1] = {{0, 0}};
    static const struct sample_position two[2] = {{4, 4}, {-4, -4}};
    static const struct sample_position four[4] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};
    static const struct sample_position eight[8] = {{1, -3}, {-1, 3},  {5, 1}, {-3, -5},
                                                    {-5, 5}, {-7, -1}, {3, 7}, {7, -7}};
    switch (samples) {
    case 1: return one;
    case 2: return two;
    case 4: return four;
    case 8: return eight;
    }
    BUG("a pixel of %u samples", samples);
}
