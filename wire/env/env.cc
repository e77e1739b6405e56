#include "wire/env/env.h"  // compiled once alone, so that the header stands by itself
