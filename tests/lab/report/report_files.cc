#include "tests/lab/report/report_files.h"
