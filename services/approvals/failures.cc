#include "services/approvals/failures.h"

namespace postern::approvals {

std::string TooManyOpenRequests::text() const {
  return "Nothing was refunded: " + std::to_string(waiting) +
         " of your requests wait for a supervisor already. Wait until some are decided, or withdraw them on the page.";
}

std::string NoSuchRequest::text() const {
  return "No such request.";
}

std::string OwnRequest::text() const {
  return "You cannot decide your own request. Nothing was decided.";
}

std::string ApproveScopeMissing::text() const {
  return "You need refunds:approve to decide. Nothing was decided. Sign in as someone who may approve refunds.";
}

std::string StaleSignIn::text() const {
  std::string out = "Paying money back needs a sign-in from the last 5 minutes. ";
  if (age_s < 0) {
    out += "When you signed in is not known.";
  } else {
    const long long minutes = age_s / 60;
    out += "Yours is " + std::to_string(minutes) + (minutes == 1 ? " minute" : " minutes") + " old.";
  }
  return out + " Nothing was decided. Sign in again.";
}

std::string AlreadyDecided::text() const {
  return (same_person ? std::string("You") : by) + " " + status + " this at " + when + ". Your press changed nothing.";
}

std::string RequestExpired::text() const {
  return "Nobody decided in time. Nothing was refunded.";
}

std::string RequestWithdrawn::text() const {
  return "Withdrawn by " + by + ". Nothing was refunded.";
}

std::string RequestChanged::text() const {
  return "The request changed while you read it. Nothing was decided. Look again.";
}

std::string NoteUnusable::text() const {
  return reason + " Nothing was decided.";
}

std::string ActionBlocked::text() const {
  return reason + " Nothing was decided and nothing was refunded.";
}

std::string ForeignForm::text() const {
  return "This page was too old or came from elsewhere. Nothing was decided. Open the request again.";
}

std::string IncompleteForm::text() const {
  return "The form was not complete. Nothing was decided. Open the request again.";
}

std::string SignInRefused::text() const {
  return reason + " You are not signed in. Start again from the request.";
}

}  // namespace postern::approvals
