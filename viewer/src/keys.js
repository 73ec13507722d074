// Keys, and the page that lists them.
import {make} from './dom.js';

export function addKeys(help, actions) {
  const keys = [
    [' ', 'space', 'play or pause', actions.toggle],
    ['ArrowLeft', '←', 'one frame (or solution) back', () => actions.step(-1)],
    ['ArrowRight', '→', 'one frame (or solution) on', () => actions.step(1)],
    ['ArrowUp', '↑', 'the event before', () => actions.event(-1)],
    ['ArrowDown', '↓', 'the next event', () => actions.event(1)],
    ['Home', 'Home', 'to the beginning', () => actions.end(0)],
    ['End', 'End', 'to the end', () => actions.end(1)],
    ['[', '[', 'slower', () => actions.faster(0.5)],
    [']', ']', 'faster', () => actions.faster(2)],
    ['n', 'n', 'choose the next body', () => actions.next('body')],
    ['c', 'c', 'choose the next contact', () => actions.next('contact')],
    ['Escape', 'Esc', 'choose nothing', () => actions.choose('')],
    ['f', 'f', 'follow the chosen body', actions.follow],
    ['r', 'r', 'look at all of it, as at first', actions.fit],
    ['a', 'a', 'forces on or off', () => actions.flip('forces')],
    ['k', 'k', 'friction cones on or off', () => actions.flip('cones')],
    ['+', '+', 'longer arrows', () => actions.scale(1)],
    ['-', '−', 'shorter arrows', () => actions.scale(-1)],
    ['l', 'l', 'names on or off', actions.labels],
    ['x', 'x', 'bodies solid, glassy, or hidden', actions.glass],
    ['d', 'd', 'dark or light', actions.theme],
    ['p', 'p', 'panel on or off', actions.panel],
    ['?', '?', 'this list', actions.help],
  ];
  help.append(make('h2', {}, 'Keys'),
    make('table', {}, ...keys.map(([, shown, what]) => make('tr', {}, make('th', {}, make('kbd', {}, shown)), make('td', {}, what)))),
    make('p', {}, 'Mouse: left drag turns (or moves a plane drawing), right drag moves, wheel zooms, click chooses; on the curves, a click goes to that time.'),
    make('form', {method: 'dialog'}, make('button', {}, 'Close')));
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || help.open) return;
    const own = e.target.closest?.('input, select, button, summary');
    if (own && (e.key === ' ' || e.key.startsWith('Arrow') || e.key === 'Home' || e.key === 'End' || own.tagName === 'SELECT')) return;
    const digit = actions.solution && /^[1-9]$/.test(e.key);
    const found = keys.find(([key]) => key === e.key);
    if (!digit && !found) return;
    e.preventDefault();
    if (digit) actions.solution(Number(e.key) - 1);
    else found[3]();
  });
}
