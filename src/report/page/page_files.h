/* The files of report/page/ and third_party/uplot, embedded at build time by tools/embed.sh. */
#ifndef AETIUS_REPORT_PAGE_FILES_H
#define AETIUS_REPORT_PAGE_FILES_H

#include <stddef.h>

extern const unsigned char page_html[], page_style[], page_script[], page_license[];
extern const size_t page_html_size, page_style_size, page_script_size, page_license_size;

#endif
