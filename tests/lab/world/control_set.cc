#include "tests/lab/world/lab_clock.h"
