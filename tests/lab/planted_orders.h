// What a text that a model was given would have it do, when it believes all of it: calls, made of what the text says.
//
// Ids of other tickets, customers and orders are looked up, addresses are fetched, amounts are refunded, tools that are
// named are called. Everything is taken out of the results of this conversation, in every reading of them
// (tests/lab/readings.h), also of pieces that belong together across fields. What is the case's own (its ids, its
// policy's limit) is no order. A text that seems to stand outside of its label, or to be a turn of somebody else, is
// believed more: its calls are made twice when they are refused.
#pragma once

#include "tests/lab/conversation.h"
#include "wire/base/json.h"

namespace postern::lab {

// [{"tool": "get_customer", "input": {"ticket_id": "T-1050"}}, ...]: what was not tried yet, in the order of the texts.
[[nodiscard]] Json planted_orders(const Conversation& conversation);

}  // namespace postern::lab
