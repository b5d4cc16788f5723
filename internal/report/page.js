"use strict";
// Says how old the page is, and that it is outdated. A clock that is behind the page's
// says nothing.
(function () {
  var age = document.getElementById("age"), late = document.getElementById("late"), stale = document.getElementById("stale");
  function since(time) { return Math.floor((Date.now() - Date.parse(time.getAttribute("datetime"))) / 60000); }
  function tell() {
    var min = since(age);
    age.hidden = !(min >= 0);
    age.textContent = "It is " + (min < 60 ? "" : Math.floor(min / 60) + " h ") + min % 60 + " min old.";
    if (stale) stale.hidden = !(since(late) >= 0);
  }
  tell();
  setInterval(tell, 15000);
})();
// Sorts and filters the table of sessions. Without it the page is whole.
(function () {
  var table = document.getElementById("table");
  if (!table) return;
  var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
  var shown = document.getElementById("shown"), query = document.getElementById("q");
  var chips = Array.prototype.slice.call(document.querySelectorAll(".chip"));
  var texts = [], timer = 0, column = -1, down = false;
  rows.forEach(function (row, i) { row.fleet = i; });

  function text(i) {
    if (texts[i] === undefined) texts[i] = rows[i].textContent.toLowerCase();
    return texts[i];
  }
  function filter() {
    var words = query.value.toLowerCase().split(/\s+/).filter(Boolean), kinds = {}, some = false, n = 0;
    chips.forEach(function (chip) {
      if (chip.getAttribute("aria-pressed") === "true") some = kinds[chip.dataset.k] = true;
    });
    rows.forEach(function (row, i) {
      var keep = (!some || kinds[row.className]) && words.every(function (w) { return text(i).indexOf(w) >= 0; });
      row.hidden = !keep;
      if (keep) n++;
    });
    shown.textContent = "Showing " + n + " of " + rows.length + (rows.length === 1 ? " session" : " sessions");
  }
  function value(row, c) {
    var cell = row.cells[c], time = cell.querySelector("time");
    if (c === 0) return row.fleet; // the order of the report
    if (c === 4 || c === 5) return time ? Date.parse(time.getAttribute("datetime")) : NaN;
    return cell.textContent.trim().toLowerCase();
  }
  function compare(a, b) {
    if (a.v === b.v) return a.i - b.i;
    if (a.v !== a.v || a.v === "") return b.v !== b.v || b.v === "" ? a.i - b.i : 1; // what is not known comes last
    if (b.v !== b.v || b.v === "") return -1;
    return (a.v < b.v ? -1 : 1) * (down ? -1 : 1);
  }
  function sort(c) {
    down = column === c ? !down : false;
    column = c;
    var order = rows.map(function (row, i) { return { row: row, i: i, v: value(row, c) }; }).sort(compare);
    var all = document.createDocumentFragment();
    order.forEach(function (o) { all.appendChild(o.row); });
    body.appendChild(all);
    heads.forEach(function (th, i) { th.setAttribute("aria-sort", i !== c ? "none" : down ? "descending" : "ascending"); });
  }

  var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
  heads.forEach(function (th, c) {
    var button = document.createElement("button");
    button.type = "button";
    button.className = "sortable";
    button.textContent = th.textContent;
    button.addEventListener("click", function () { sort(c); });
    th.textContent = "";
    th.appendChild(button);
    th.setAttribute("aria-sort", "none");
  });
  table.tHead.className = "sorts";
  chips.forEach(function (chip) {
    chip.addEventListener("click", function () {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      filter();
    });
  });
  query.addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(filter, rows.length > 2000 ? 200 : 0); });
  document.addEventListener("keydown", function (e) {
    var at = document.activeElement;
    if (e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && at !== query) {
      e.preventDefault();
      query.focus();
    } else if (e.key === "Escape") {
      clear();
    }
  });
  function clear() {
    query.value = "";
    chips.forEach(function (chip) { chip.setAttribute("aria-pressed", "false"); });
    filter();
  }
  // A link to a session that is filtered away shows it, however often it is
  // followed: a second time the address does not change.
  function show(id) {
    var row = document.getElementById(id);
    if (row && row.hidden) {
      clear();
      row.scrollIntoView();
    }
  }
  window.addEventListener("hashchange", function () { show(location.hash.slice(1)); });
  document.addEventListener("click", function (e) {
    var link = e.target.closest && e.target.closest("a[href^='#']");
    if (link) show(link.getAttribute("href").slice(1));
  });
  // On paper nothing tells that there is a filter.
  window.addEventListener("beforeprint", function () { rows.forEach(function (row) { row.hidden = false; }); });
  window.addEventListener("afterprint", filter);
  document.getElementById("tools").hidden = false;
  filter();
})();
