// What the pages do beyond links and forms. All of them work without it, only less comfortably.
(function () {
  "use strict";
  const root = document.documentElement;
  const base = root.dataset.base || "";
  const $ = (selector, from) => (from || document).querySelector(selector);
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));

  // ---- times: relative, with the exact one on hover, in the viewer's zone
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" });
  const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
  // The server's clock decides what "ago" means.
  const ahead = Number(root.dataset.now || Date.now()) - Date.now();
  function ago(ms) {
    const past = ms >= 0;
    const s = Math.floor(Math.abs(ms) / 1000);
    let text;
    if (s < 5) return past ? "just now" : "in a moment";
    if (s < 90) text = s + " s";
    else if (s < 5400) text = Math.round(s / 60) + " min";
    else if (s < 172800) text = Math.round(s / 3600) + " h";
    else text = Math.round(s / 86400) + " days";
    return past ? text + " ago" : "in " + text;
  }
  function times(from) {
    for (const time of all("time[datetime]", from)) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      time.title = exact.format(at);
      if (time.dataset.as === "clock") {
        const today = new Date().toDateString() === at.toDateString();
        time.textContent = (today ? "" : day.format(at) + ", ") + clock.format(at);
      } else {
        const text = ago(Date.now() + ahead - at.getTime());
        if (time.textContent !== text) time.textContent = text;
      }
    }
  }
  setInterval(() => { if (!document.hidden) times(); }, 5000);

  // ---- toasts
  function toast(text, undo) {
    const box = $("#toasts");
    if (!box) return;
    const one = document.createElement("div");
    one.className = "toast";
    const words = document.createElement("span");
    words.textContent = text;
    one.append(words);
    if (undo) {
      const link = document.createElement("a");
      link.href = undo;
      link.textContent = "Undo";
      link.setAttribute("data-dialog", "");
      one.append(link);
    }
    box.append(one);
    setTimeout(() => one.remove(), undo ? 15000 : 5000);
  }

  // ---- copy
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch (refused) {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    toast("Copied.");
  }

  // ---- theme: system, light, dark
  function theme(value) {
    if (value === "system") root.removeAttribute("data-theme");
    else root.dataset.theme = value;
    document.cookie = "posthorn-theme=" + value + "; path=/; max-age=31536000; samesite=strict";
    for (const one of all("[data-theme-choice]")) one.setAttribute("aria-pressed", String(one.dataset.themeChoice === value));
  }

  // ---- dialogs
  const dialog = $("#dialog");
  async function open(url) {
    let answer;
    try {
      answer = await fetch(url, { headers: { "X-Posthorn-Part": "dialog", "X-Posthorn-Back": location.pathname + location.search }, credentials: "same-origin" });
    } catch (away) {
      toast("Nothing was opened: the server does not answer.");
      return;
    }
    if (!answer.ok || answer.redirected) {
      location.href = url;
      return;
    }
    fill(await answer.text());
    if (!dialog.open) dialog.showModal();
    const first = $("[autofocus], textarea, input:not([type=hidden]), button", dialog);
    if (first) first.focus();
  }
  function fill(html) {
    dialog.innerHTML = html;
    dialog.classList.toggle("wide", !!$("[data-wide]", dialog));
    times(dialog);
    if (window.htmx) window.htmx.process(dialog);
  }
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("[data-act]") || !dialog.contains(form)) return;
    event.preventDefault();
    const button = event.submitter;
    if (button) button.disabled = true;
    const body = new URLSearchParams(new FormData(form, button));
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { "X-Posthorn-Part": "dialog" }, credentials: "same-origin" });
      const next = answer.headers.get("X-Posthorn-Next");
      if (next) {
        const said = answer.headers.get("X-Posthorn-Said");
        const undo = answer.headers.get("X-Posthorn-Undo");
        if (said) sessionStorage.setItem("posthorn-said", JSON.stringify([decodeURIComponent(said), undo]));
        if (new URL(next, location.href).href === location.href) location.reload();
        else location.href = next;
        return;
      }
      fill(await answer.text());
    } catch (away) {
      toast("Nothing was done: the server does not answer. Try again.");
      if (button) button.disabled = false;
    }
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-again]");
    // A choice that changes the preview asks for a new one.
    if (form && event.target.matches("[data-preview]") && dialog.contains(form)) preview(form);
  });
  function preview(form) {
    const url = new URL(form.dataset.again, location.href);
    for (const [name, value] of new FormData(form)) if (name !== "_csrf" && name !== "payload") url.searchParams.set(name, value);
    open(url.href);
  }
  const said = sessionStorage.getItem("posthorn-said");
  if (said) {
    sessionStorage.removeItem("posthorn-said");
    const [text, undo] = JSON.parse(said);
    toast(text, undo);
  }

  // ---- clicks
  document.addEventListener("click", (event) => {
    const at = event.target;
    const off = at.closest("[aria-disabled=true]");
    if (off) {
      event.preventDefault();
      toast(off.dataset.missing || "This is not possible now.");
      return;
    }
    const opens = at.closest("a[data-dialog]");
    if (opens && dialog && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      open(opens.href);
      return;
    }
    const copies = at.closest("[data-copy]");
    if (copies) {
      const what = copies.dataset.copy;
      copy(what === "#link" ? location.href : what.startsWith("#") ? $(what).textContent : what);
      const menu = copies.closest("details.menu");
      if (menu) menu.open = false;
      return;
    }
    const themed = at.closest("[data-theme-choice]");
    if (themed) { theme(themed.dataset.themeChoice); return; }
    if (at.closest("[data-close]") && at.closest("dialog")) { event.preventDefault(); at.closest("dialog").close(); return; }
    if (at === dialog || at === palette || at === help) at.close();
    if (at.closest("[data-palette]")) { event.preventDefault(); jump(); }
    if (at.closest("[data-help]")) { event.preventDefault(); if (help) help.showModal(); }
    if (at.closest("[data-reload]")) { event.preventDefault(); location.reload(); }
    for (const menu of all("details.menu[open]")) if (!menu.contains(at)) menu.open = false;
  });

  // ---- palette and keys
  const palette = $("#palette");
  const help = $("#help");
  function jump() {
    if (!palette) return;
    palette.showModal();
    const input = $("input", palette);
    input.select();
    if (!input.value) find(input);
  }
  let asked = 0;
  async function find(input) {
    const mine = ++asked;
    await new Promise((go) => setTimeout(go, 120));
    if (mine !== asked) return;
    try {
      const answer = await fetch(input.dataset.find + "?q=" + encodeURIComponent(input.value), { credentials: "same-origin" });
      const html = await answer.text();
      if (mine === asked && answer.ok) $("#found").innerHTML = html;
    } catch (away) { /* the next key asks again */ }
  }
  if (palette) {
    $("input", palette).addEventListener("input", (event) => find(event.target));
    palette.addEventListener("keydown", (event) => {
      const links = all("#found a", palette);
      const at = links.indexOf(document.activeElement);
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const next = at + (event.key === "ArrowDown" ? 1 : -1);
        if (next < 0) $("input", palette).focus(); else if (links[next]) links[next].focus();
      } else if (event.key === "Enter" && at < 0 && links.length > 0) {
        event.preventDefault();
        location.href = links[0].href;
      }
    });
  }
  let waitsForPage = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") for (const menu of all("details.menu[open]")) { menu.open = false; $("summary", menu).focus(); }
    if (event.target.closest("input, textarea, select") || $("dialog[open]")) return;
    if (event.key === "/") { event.preventDefault(); jump(); }
    else if (event.key === "?") { event.preventDefault(); if (help) help.showModal(); }
    else if (event.key === "g") waitsForPage = Date.now();
    else if (Date.now() - waitsForPage < 1500) {
      waitsForPage = 0;
      const page = $('.nav a[data-key="' + CSS.escape(event.key) + '"]');
      if (page) location.href = page.href;
    } else if (event.key === "j" || event.key === "k") {
      const rows = all("tbody a[data-row]");
      if (rows.length === 0) return;
      const at = rows.indexOf(document.activeElement);
      const next = at < 0 ? 0 : at + (event.key === "j" ? 1 : -1);
      if (rows[next]) { rows[next].focus(); rows[next].scrollIntoView({ block: "nearest" }); }
    } else if (event.key === "r") location.reload();
  });

  // ---- live: one stream per tab; text changes in place, rows keep theirs
  const live = root.dataset.live;
  const light = $("#live");
  let source = null;
  let heard = 0;
  function say(state, text) {
    if (!light) return;
    light.dataset.state = state;
    if (light.textContent !== text) light.textContent = text;
  }
  function apply(html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    let news = 0;
    for (const one of all("[data-live]", fresh)) {
      const olds = all('[data-live="' + CSS.escape(one.dataset.live) + '"]');
      if (olds.length === 0 && one.matches("[data-row-of]")) {
        if ($('[data-rows="' + CSS.escape(one.dataset.rowOf) + '"]')) news++;
      }
      for (const old of olds) {
        if (old.matches("tr") || old.contains(document.activeElement)) continue;
        if (old.dataset.seen !== one.innerHTML) {
          old.dataset.seen = one.innerHTML;
          if (old.innerHTML !== one.innerHTML) old.innerHTML = one.innerHTML;
        }
      }
    }
    for (const bar of all("[data-news]")) bar.hidden = news === 0;
    const dead = $('[data-count="dead"]', fresh);
    for (const bar of all("[data-news-dead]")) {
      const more = dead ? Number(dead.dataset.number) - Number(bar.dataset.newsDead) : 0;
      bar.hidden = more <= 0;
      if (more > 0) $("button", bar).textContent = more.toLocaleString() + " new, show";
    }
    times();
  }
  function listen() {
    if (!live || source || document.hidden) return;
    source = new EventSource(base + live);
    source.addEventListener("figures", (event) => { heard = Date.now(); apply(event.data); say("on", "live"); });
    source.addEventListener("same", () => { heard = Date.now(); say("on", "live"); });
    source.addEventListener("away", () => { heard = Date.now(); say("stale", "database does not answer"); });
  }
  function hush() {
    if (source) source.close();
    source = null;
  }
  let hidden = 0;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    // A tab that nobody looks at asks for nothing.
    if (document.hidden) hidden = setTimeout(() => { hush(); say("off", "paused"); }, 30000);
    else listen();
  });
  if (live) {
    listen();
    setInterval(() => {
      if (source && heard && Date.now() - heard > 10000) say("stale", "figures are " + Math.round((Date.now() - heard) / 1000) + " s old");
    }, 1000);
    addEventListener("pagehide", hush);
  }

  document.addEventListener("htmx:afterSwap", (event) => times(event.target));
  times();
})();
