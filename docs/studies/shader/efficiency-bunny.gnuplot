# gnuplot efficiency-bunny.gnuplot >efficiency-bunny.svg
set terminal svg size 674,420 noenhanced font 'sans-serif,11' background '#ffffff'
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
set style data histograms
set style histogram clustered gap 1
set boxwidth 0.95
set yrange [0:*]
set xtics rotate by 35 right
set title 'bunny: frame rate per million transistors' font ',13'
set ylabel 'frames per second per million transistors'
plot 'efficiency-bunny.dat' using 2:xtic(1) title columnhead, \
     'efficiency-bunny.dat' using 3:xtic(1) title columnhead
