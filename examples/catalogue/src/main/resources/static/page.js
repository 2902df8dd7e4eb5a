'use strict';
const $ = id => document.getElementById(id);
const make = (tag, fields, ...children) => {
  const made = Object.assign(document.createElement(tag), fields);
  made.append(...children);
  return made;
};
const send = (method, path, body) => fetch(path, {
  method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) });
const get = async path => { const answer = await fetch(path); return answer.ok ? answer.json() : null; };
const euro = amount => `${amount.toFixed(2)} €`;
const path = (...parts) => '/' + parts.map(encodeURIComponent).join('/');
const words = { SENT: 'sent', PENDING: 'waits', IN_FLIGHT: 'on its way', FAILED: 'tried again soon', DEAD: 'dead letter' };

async function showProducts() {
  $('products').replaceChildren(...(await get('/products') || []).map(product => {
    const price = make('input', { className: 'price', value: product.price.toFixed(2), inputMode: 'decimal', ariaLabel: 'Price of ' + product.name });
    price.onchange = async () => {
      await send('PUT', path('products', product.id), { name: product.name, price: price.value });
      showProducts();
    };
    const add = make('button', { textContent: 'Into the basket' });
    add.onclick = async () => { await send('PUT', path('baskets', 'mine', product.id)); showBasket(); };
    return make('tr', {}, make('td', { textContent: product.name }), make('td', { className: 'right' }, price), make('td', { className: 'right' }, add));
  }));
}

async function showBasket() {
  const lines = await get('/baskets/mine') || [];
  $('order').disabled = lines.length === 0;
  $('empty').textContent = lines.length === 0 ? 'Nothing is in it yet.' : '';
  $('basket').replaceChildren(...lines.map(line => {
    const name = make('td', {}, line.name);
    const price = make('td', { className: 'right' }, euro(line.price));
    if (line.notice) {
      name.append(make('span', { className: 'notice', textContent: line.notice }));
      price.prepend(make('del', { textContent: euro(line.oldPrice) }), ' → ');
    }
    return make('tr', {}, name, price);
  }));
}

async function showMessages() {
  const messages = await get('/messages') || [];
  $('messages').replaceChildren(...messages.map(one => make('tr', {},
    make('td', { textContent: one.type }), make('td', { textContent: one.key }), make('td', { textContent: one.written }),
    make('td', {}, make('span', { className: 'badge ' + one.state, textContent: words[one.state] || one.state })))));
}

// Only where the road can be closed: ./posthorn example catalogue.
async function showRoad() {
  const road = await get('/road');
  $('breaking').hidden = !road;
  if (!road) return;
  $('road').textContent = road.open ? 'Close the road to the baskets' : 'The road is closed: open it';
  $('road').className = road.open ? '' : 'broken';
  $('road').onclick = async () => { await send('PUT', '/road?open=' + !road.open); showRoad(); };
  $('again').onclick = () => send('POST', '/road/again');
  $('waiting').textContent = road.waiting === 0 ? '' : road.waiting + (road.waiting === 1 ? ' message waits on it.' : ' messages wait on it.');
}

$('order').onclick = async () => { await send('POST', '/baskets/mine/order'); showBasket(); };
showProducts();
(async function follow() { await Promise.all([showBasket(), showMessages(), showRoad()]); setTimeout(follow, 1000); })();
