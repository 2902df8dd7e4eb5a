'use strict';
const words = { SENT: 'sent', PENDING: 'waits', IN_FLIGHT: 'on its way', FAILED: 'tried again soon', DEAD: 'dead letter' };
const names = { mail: 'mail server', kafka: 'Kafka' };
const first = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Tony', 'Margaret', 'Leslie', 'Radia'];
let count = 0;

const $ = id => document.getElementById(id);
const get = async path => { const answer = await fetch(path); return answer.ok ? answer.json() : null; };

function cell(text) {
  const made = document.createElement('td');
  made.textContent = text;
  return made;
}

function badge(state) {
  const made = document.createElement('td');
  const shown = document.createElement('span');
  shown.className = 'badge ' + state;
  shown.textContent = words[state] || state;
  made.append(shown);
  return made;
}

async function show() {
  const users = await get('/users') || [];
  let waiting = 0;
  const rows = await Promise.all(users.map(async user => {
    const row = document.createElement('tr');
    const deliveries = await get(`/users/${user.id}/deliveries`) || [];
    const states = ['welcome-mail', 'bus'].map(name =>
      (deliveries.find(one => one.destination === name) || {}).state || 'PENDING');
    waiting += states.filter(state => state !== 'SENT' && state !== 'DEAD').length;
    row.append(cell(user.name), cell(user.email), ...states.map(badge));
    return row;
  }));
  $('users').replaceChildren(...rows);
  if (users.length > 0) {
    const text = waiting === 0 ? 'Everybody has been told.' : waiting + (waiting === 1 ? ' delivery waits.' : ' deliveries wait.');
    if ($('sentence').textContent !== text) $('sentence').textContent = text;
  }
}

// Only where servers can be broken on purpose: ./posthorn example registration.
async function showServers() {
  const servers = await get('/servers');
  $('breaking').hidden = !servers;
  if (!servers) return;
  $('servers').replaceChildren(...Object.entries(servers).sort().map(([name, up]) => {
    const button = document.createElement('button');
    button.textContent = up ? 'Stop the ' + names[name] : 'The ' + names[name] + ' is down: start it';
    button.textContent = button.textContent.replace('the Kafka', 'Kafka').replace('The Kafka', 'Kafka');
    button.className = up ? '' : 'broken';
    button.onclick = async () => { await fetch(`/servers/${name}?up=${!up}`, { method: 'PUT' }); showServers(); };
    return button;
  }));
}

async function register(user) {
  const answer = await fetch('/users', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(user) });
  $('problem').textContent = answer.ok ? '' : await answer.text();
  await show();
  return answer.ok;
}

$('register').onsubmit = async event => {
  event.preventDefault();
  if (await register(Object.fromEntries(new FormData(event.target)))) event.target.reset();
};
$('someone').onclick = () => {
  const name = first[count++ % first.length];
  register({ name, email: `${name.toLowerCase()}-${Date.now() % 100000}@example.org` });
};
showServers();
(async function follow() { await show(); setTimeout(follow, 1000); })();
