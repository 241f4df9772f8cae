# How close our pictures are to the reference's, and whether they meet the criterion:
#
#     jq -n --slurpfile exact A --slurpfile ours B --slurpfile softpipe C -f tools/bar.jq
#
# A, B, C are outputs of `aetius compare --json REFERENCE PICTURES`: the timed pictures against the
# functional ones; ours against llvmpipe's; softpipe's against llvmpipe's. The criterion, in every frame:
# our share of pixels off by more than one step is at most softpipe's or 0.1%; our interior errors
# at most softpipe's or 0.01% of the pixels; our PSNR at least softpipe's less 1 dB, or 50 dB.
def off: if .pixels == 0 then 0 else (.pixels - .within_1) / .pixels end;
def psnr_db: .psnr // 1000; # null: identical
def larger($a; $b): if $a > $b then $a else $b end;
def meets($ours; $softpipe):
    ($ours | off) <= larger(0.001; $softpipe | off)
    and $ours.interior_errors <= larger(0.0001 * $ours.pixels; $softpipe.interior_errors)
    and ($ours | psnr_db) >= ([50, ($softpipe | psnr_db) - 1] | min);
def all_frames: (.frames | length) > 0 and .only_in_a == 0 and .only_in_b == 0;
def percent: . * 100000 | round | . / 1000;

$exact[0] as $exact | $ours[0] as $ours | $softpipe[0] as $softpipe
| ([$ours.frames, $softpipe.frames] | transpose) as $frames
| {
    same: (($exact | all_frames) and $exact.total.identical == $exact.total.pixels),
    off: ($ours.total | off | percent),
    softpipe_off: ($softpipe.total | off | percent),
    interior: $ours.total.interior_errors,
    softpipe_interior: $softpipe.total.interior_errors,
    psnr: $ours.total.psnr,
    bar: (($ours | all_frames) and ($softpipe | all_frames)
          and ($frames | all(meets(.[0]; .[1]))))
  }
| [(if .same then "yes" else "NO" end),
   "\(.off)%", "\(.softpipe_off)%",
   "\(.interior) (\(.softpipe_interior))",
   (if .psnr == null then "identical" else "\(.psnr * 10 | round | . / 10) dB" end),
   (if .bar then "met" else "MISSED" end)]
| join("|")
