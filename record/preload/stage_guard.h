// What another process may do to the files in which this one stages.
#pragma once

namespace malloom::record {

/// From now on a stage that is cut, or for which the disk has no block any more, ends the recording and not
/// the program: the touch of a page that its file has lost is a SIGBUS, whose handler this sets. It hands on
/// all others. A handler that the program sets comes in its place. Once, when the process starts to record.
void guard_stages();

}  // namespace malloom::record
