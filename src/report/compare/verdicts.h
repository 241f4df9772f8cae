/* Thresholds of the experiments that check verdicts: `aetius topdown --prove` and `aetius study
 * verdicts`. */
#ifndef AETIUS_REPORT_VERDICTS_H
#define AETIUS_REPORT_VERDICTS_H

/* Shares of the cycles. A resource is accused if its upper bound is at least VERDICT_ACCUSED. A
 * verdict is right if the largest gain exceeds its gain by at most VERDICT_WITHIN. */
#define VERDICT_ACCUSED 0.03
#define VERDICT_WITHIN  0.02

#endif
