#include "services/store/failures.h"

namespace postern::services {

std::string StoreFailed::text() const {
  return "The database " + path + " cannot be used: " + reason +
         ". Check that its folder exists, is writable and has room.";
}

std::string StoreBusy::text() const {
  return "The database " + path + " is held by another process. Nothing was changed. Try again.";
}

std::string NotUnique::text() const {
  return "There is one already with the same " + columns + ". Nothing was changed.";
}

std::string SchemaUnknown::text() const {
  return "The database " + path + " was made by another version of this program (" + migration +
         "). Nothing was changed. Use that version, or another folder.";
}

}  // namespace postern::services
