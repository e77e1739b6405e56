// Courtesies only: the page decides nothing here and works without this file. A press is marked as sent, the time left counts down, and
// a change that happened elsewhere is announced; the facts are never swapped under the reader.
(() => {
  "use strict";
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    const button = event.submitter;
    if (button && !button.classList.contains("quiet")) {
      button.setAttribute("aria-disabled", "true");
      button.textContent = "Sending…";
    }
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  const summary = document.querySelector("[data-focus]");
  if (summary) summary.focus();

  const request = document.querySelector("[data-state]");
  if (!request) return;
  const clock = document.querySelector("[data-clock]");
  const live = document.getElementById("live");
  const started = performance.now();
  const announced = new Set();
  const left = () => Number(clock.dataset.clock) - Math.floor((performance.now() - started) / 1000);
  const tick = () => {
    const seconds = Math.max(0, left());
    clock.textContent = Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0") + " left";
    for (const [limit, words] of [[120, "Two minutes left."], [30, "Thirty seconds left."]]) {
      if (seconds <= limit && seconds > limit - 5 && !announced.has(limit)) {
        announced.add(limit);
        live.textContent = words;
      }
    }
  };
  if (clock) setInterval(tick, 1000);
  if (request.dataset.final === "yes") return;

  const controlsOff = () => {
    for (const control of document.querySelectorAll("[data-decides]")) {
      control.setAttribute("aria-disabled", "true");
      control.removeAttribute("href");
      if (control.tagName === "BUTTON") control.disabled = true;
    }
  };
  const banner = (words, target, link) => {
    const place = document.getElementById("banner");
    place.hidden = false;
    place.replaceChildren(words + " ");
    if (target) {
      const anchor = document.createElement("a");
      anchor.href = target;
      anchor.textContent = link;
      place.append(anchor);
    }
    live.textContent = words;
  };
  const words = {approved: "approved", denied: "denied", expired: "expired", withdrawn: "withdrawn", spent: "paid",
                 lapsed: "no longer usable", refused: "refused by payments"};
  const pauses = [2000, 4000, 8000, 15000];
  let failures = 0;
  let tag = request.dataset.tag;
  let timer = 0;
  let over = false;
  const plan = () => {
    clearTimeout(timer);
    if (!over && !document.hidden) timer = setTimeout(ask, pauses[Math.min(failures, pauses.length - 1)]);
  };
  const ask = async () => {
    try {
      const answer = await fetch(request.dataset.state, {headers: {"If-None-Match": tag}, redirect: "manual"});
      failures = 0;
      if (answer.status === 401) {
        over = true;
        const place = document.getElementById("banner");
        document.getElementById("main").replaceChildren(live, place);
        document.title = "Signed out";
        banner("You are signed out.", "/login?next=" + encodeURIComponent(location.pathname), "Sign in");
      } else if (answer.status === 200) {
        const state = await answer.json();
        tag = answer.headers.get("ETag");
        if (state.status + "/" + state.token !== request.dataset.stage) {
          over = true;
          controlsOff();
          banner("This request is " + (words[state.token] || words[state.status] || "changed") + " now.", location.pathname, "Show it");
        }
      } else if (answer.status !== 304) {
        throw new Error("status");
      }
    } catch {
      failures += 1;
      controlsOff();
      banner("Cannot reach the desk. Shown facts may be old.", location.pathname, "Try again");
    }
    plan();
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : over || ask()));
  window.addEventListener("pagehide", () => clearTimeout(timer));
  plan();
})();
