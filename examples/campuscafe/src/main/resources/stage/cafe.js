'use strict';
// Shows /state twice a second. Everything from the services is set as text, never as markup.
const $ = id => document.getElementById(id);
const number = new Intl.NumberFormat('en');

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function press(path) {
  try {
    const answer = await fetch(path, { method: 'POST', headers: { 'X-Demo': '1' } });
    if (!answer.ok) $('sentence').textContent = await answer.text();
  } catch (gone) {
    $('sentence').textContent = 'The demo has ended. Start it again with ./posthorn demo.';
  }
  await look();
}

function age(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  return seconds < 60 ? seconds + ' s' : Math.floor(seconds / 60) + ' min';
}

function figures(list, shown) {
  const cells = list.map(([name, value, alarm]) => {
    const cell = element('div', undefined, alarm && value > 0 ? 'alarm' : '');
    cell.append(element('dt', name), element('dd', number.format(value)));
    return cell;
  });
  shown.replaceChildren(...cells);
}

// A step: not yet, once, or more than once.
function step(times, cancelled, word) {
  if (times > 1) return element('td', '● ' + times + ' times', 'step twice');
  if (times === 1) return element('td', '● ' + word, 'step done');
  return cancelled ? element('td', '– not needed', 'step off') : element('td', '○', 'step');
}

function order(each, shown) {
  const row = element('tr');
  const cancelled = each.status === 'CANCELLED';
  const name = element('td', shown ? undefined : each.cups + ' × ' + each.drink);
  if (shown) {
    const link = element('a', each.cups + ' × ' + each.drink);
    link.href = consoleOf(shown, '/messages?key=order/' + each.id);
    link.target = '_blank';
    name.append(link);
  }
  row.append(
    name,
    step(each.stock, cancelled, cancelled ? 'put back' : 'taken'),
    step(each.payment, cancelled, 'paid'),
    step(each.notification, false, cancelled ? 'cancelled' : 'told'),
    element('td', age(each.ageMillis), 'num muted'));
  row.title = each.id;
  return row;
}

// While something is broken, or was a moment ago, late orders may still come to their end.
function lateness(state, letters) {
  return letters > 0 ? 'late' : state.quietMillis > 45000 ? 'lost' : 'late';
}

function shop(name, state, letters) {
  const data = state[name];
  const f = data.figures;
  const late = lateness(state, letters);
  const alarm = late === 'lost';
  figures([['orders', f.committed], ['at their end', f.finished], [late, f.late, alarm],
    ['ghosts', f.ghosts, true], ['done twice', f.doubled, true]], $(name).querySelector('dl'));
  $(name).querySelector('tbody').replaceChildren(...data.orders.map(each => order(each, name === 'posthorn' ? state.services.find(one => one.name === 'order') : null)));
}

// Each service has Posthorn's console below /posthorn.
function consoleOf(each, path) {
  return 'http://127.0.0.1:' + each.port + '/posthorn/' + each.name + (path || '');
}

function service(each) {
  const state = { UP: 'running', STARTING: 'starting', FROZEN: 'frozen', DOWN: 'down' }[each.state];
  const badge = element('a', (each.name === 'dualwrite' ? 'all services' : each.name) + ' ' + state,
    'badge' + (each.state === 'UP' ? '' : each.state === 'STARTING' ? ' wait' : ' trouble'));
  badge.href = each.name === 'dualwrite' ? 'logs/' + each.name : consoleOf(each);
  badge.title = each.name === 'dualwrite' ? 'The log of process ' + each.pid : 'The console of the ' + each.name + ' service';
  badge.target = '_blank';
  return badge;
}

function sentence(state) {
  if (state.ageMillis > 3000) return 'The database does not answer. The figures are ' + age(state.ageMillis) + ' old.';
  const p = state.posthorn.figures, d = state.dualWrite.figures;
  const broken = state.faults.filter(each => each.left > 0).map(each => each.title);
  const now = broken.length ? 'Broken now: ' + broken.join(', ') + '. ' : '';
  if (p.committed === 0) return now + 'No orders yet. Place one.';
  const waiting = Object.values(state.letters).reduce((sum, each) => sum + each, 0);
  const bad = (f, letters) => {
    const parts = [[f.late, lateness(state, letters)], [f.ghosts, f.ghosts === 1 ? 'ghost' : 'ghosts'], [f.doubled, 'done twice']]
      .filter(([n]) => n > 0).map(([n, what]) => number.format(n) + ' ' + what);
    return parts.length ? parts.join(', ') : 'all is well';
  };
  return now + 'With Posthorn: ' + bad(p, waiting) + '. Without an outbox: ' + bad(d, 0) + '.';
}

const cards = new Map();
function faults(list) {
  for (const each of list) {
    let card = cards.get(each.name);
    if (!card) {
      card = element('button', undefined, 'fault');
      card.type = 'button';
      card.append(element('b', each.title), element('span', each.effect));
      card.addEventListener('click', () => press('faults/' + each.name));
      cards.set(each.name, card);
      $('faults').append(card);
    }
    const on = each.left > 0;
    card.classList.toggle('on', on);
    card.disabled = on;
    card.firstChild.textContent = on ? each.title + ' · ' + each.left + ' s' : each.title;
    card.lastChild.textContent = on ? each.look : each.effect;
  }
}

function letters(state) {
  const total = Object.values(state.letters).reduce((sum, each) => sum + each, 0);
  const shown = $('letters');
  const key = total + '/' + state.duplicatesDropped;
  if (shown.dataset.key === key) return;
  shown.dataset.key = key;
  const copies = element('span', number.format(state.duplicatesDropped) + ' copies dropped by receipts.', 'muted');
  if (total === 0) {
    shown.replaceChildren(element('span', 'No dead letters.', 'ok'), copies);
    return;
  }
  const fix = element('button', 'Correct to espresso and requeue');
  fix.type = 'button';
  fix.addEventListener('click', () => press('correct'));
  const open = element('a', 'Open in the console');
  open.href = consoleOf(state.services.find(each => each.name === Object.keys(state.letters)[0]), '/dead');
  open.target = '_blank';
  shown.replaceChildren(element('span', total === 1 ? '1 dead letter waits for a person.' : total + ' dead letters wait for a person.', 'bad'), open, fix, copies);
}

let tour = -1, known = [];
function showTour() {
  $('tour').hidden = tour < 0;
  if (tour < 0) return;
  const each = known[tour];
  $('tour-step').textContent = 'Tour, ' + (tour + 1) + ' of ' + known.length;
  $('tour-title').textContent = each.title;
  $('tour-effect').textContent = each.effect;
  $('tour-look').textContent = 'Look: ' + each.look;
  $('tour-next').textContent = tour + 1 === known.length ? 'Finish' : 'Next';
}

let last = '';
function events(list) {
  const key = list[0] + list.length;
  if (key === last) return;
  last = key;
  $('events').replaceChildren(...list.map(line => {
    const item = element('li');
    item.append(element('time', line.slice(0, 8)), line.slice(10));
    return item;
  }));
}

let mailsShown = -1;
async function mails(count) {
  if (count === mailsShown) return;
  mailsShown = count;
  $('mail-count').textContent = number.format(count);
  const list = await (await fetch('mails')).json();
  $('mails').replaceChildren(...list.map(mail => {
    const item = element('li', mail.text);
    item.append(element('div', mail.from + ' → ' + mail.to, 'muted'));
    return item;
  }));
}

async function look() {
  try {
    const state = await (await fetch('state')).json();
    known = state.faults;
    const waiting = Object.values(state.letters).reduce((sum, each) => sum + each, 0);
    shop('posthorn', state, waiting);
    shop('dualWrite', state, 0);
    $('services').replaceChildren(...state.services.filter(each => each.name !== 'dualwrite').map(service));
    $('dual-services').replaceChildren(...state.services.filter(each => each.name === 'dualwrite').map(service));
    const text = sentence(state);
    if ($('sentence').textContent !== text) $('sentence').textContent = text;
    faults(state.faults);
    letters(state);
    events(state.events);
    if (document.activeElement !== $('rate')) { $('rate').value = state.rate; $('rate-shown').textContent = state.rate; }
    await mails(state.mails);
  } catch (gone) {
    $('sentence').textContent = 'The demo has ended. Start it again with ./posthorn demo.';
  }
}

document.querySelectorAll('[data-order]').forEach(button =>
  button.addEventListener('click', () => press('orders/' + button.dataset.order)));
$('rate').addEventListener('input', () => { $('rate-shown').textContent = $('rate').value; });
$('rate').addEventListener('change', () => press('rate/' + $('rate').value));
$('tour-start').addEventListener('click', () => { tour = 0; showTour(); $('tour-go').focus(); });
$('tour-go').addEventListener('click', () => press('faults/' + known[tour].name));
$('tour-next').addEventListener('click', () => { tour = tour + 1 < known.length ? tour + 1 : -1; showTour(); });
$('tour-end').addEventListener('click', () => { tour = -1; showTour(); });
$('theme').addEventListener('click', () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'light' : 'dark';
});
(async function follow() { await look(); setTimeout(follow, document.hidden ? 3000 : 600); })();
