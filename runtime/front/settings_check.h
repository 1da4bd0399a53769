// What in the variable MALLOOM means nothing: the run time and the recorder say it alike.
#pragma once

#include "runtime/platform/settings.h"

namespace malloom::front {

/// Names on stderr, a line for each kind, all that is ignored: parts without a name or a value, settings that
/// no library of malloom has, what is set again, or the whole text where it is too long. Never allocates.
void complain_of_settings(const platform::Settings& settings);

}  // namespace malloom::front
