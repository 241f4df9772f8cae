# gnuplot textures-reference-2005.gnuplot >textures-reference-2005.svg
set terminal svg size 640,456 noenhanced font 'sans-serif,11' background '#ffffff'
set datafile separator tab
set datafile missing '?'
set key tmargin left horizontal Left reverse
set border 3
set grid ytics lc rgb '#dddddd'
set tics nomirror out
set style fill solid
set linetype 1 lc rgb '#3b6fb6' lw 1.5 pt 7 ps 0.6
set linetype 2 lc rgb '#d98032' lw 1.5 pt 7 ps 0.6
set linetype 3 lc rgb '#4f9d5d' lw 1.5 pt 7 ps 0.6
set linetype 4 lc rgb '#b8474b' lw 1.5 pt 7 ps 0.6
set linetype 5 lc rgb '#8264a8' lw 1.5 pt 7 ps 0.6
set linetype 6 lc rgb '#8a6a5c' lw 1.5 pt 7 ps 0.6
set linetype 7 lc rgb '#c77fb2' lw 1.5 pt 7 ps 0.6
set linetype 8 lc rgb '#7d7d7d' lw 1.5 pt 7 ps 0.6
set linetype 9 lc rgb '#b0a83a' lw 1.5 pt 7 ps 0.6
set linetype 10 lc rgb '#4aa6b5' lw 1.5 pt 7 ps 0.6
set linetype cycle 10
set title 'reference-2005: texel rate by texture size and format'."\n".'error on held-out measurements: mean 4.1 %, worst 32.0 %' font ',13'
set xlabel 'texels per side, powers of two'
set ylabel 'million texels per second'
set logscale x 2
set logscale y
plot 'textures-reference-2005.dat' using 1:2 with linespoints title columnhead, \
     'textures-reference-2005.dat' using 1:3 with linespoints title columnhead, \
     'textures-reference-2005.dat' using 1:4 with linespoints title columnhead, \
     'textures-reference-2005.dat' using 1:5 with linespoints title columnhead, \
     'textures-reference-2005.dat' using 1:6 with linespoints title columnhead, \
     'textures-reference-2005.dat' using 1:7 with linespoints title columnhead, \
     'textures-reference-2005.dat' using 1:8 with linespoints title columnhead, \
     'textures-reference-2005.dat' using 1:9 with linespoints title columnhead
