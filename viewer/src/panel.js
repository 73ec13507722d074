// Beside the picture: what is chosen, with its numbers; verdicts of a check; what is shown.
import {make, number, table} from './dom.js';
import {statuses} from './colours.js';

const LISTED = 3000;  // names in the list of what can be chosen

export class Panel {
  constructor(element, parts) {
    Object.assign(this, {element}, parts);
    const {data, contacts} = this;
    this.list = make('select', {'aria-label': 'choose a body or a contact', onchange: () => this.choose(this.list.value)},
      make('option', {value: ''}, 'choose a body or a contact'), ...options('body', data.bodies), ...options('contact', data.contacts));
    this.details = make('div', {id: 'chosen', 'aria-live': 'polite'});
    element.append(this.list, this.details, ...this.switches(contacts), this.curves.element);
    if (data.report) element.append(verdicts(data.report));
    if (data.notes.length) element.append(make('section', {class: 'notes'}, ...data.notes.map((note) => make('p', {}, note))));
  }
  switches(contacts) {
    if (contacts.most === 0 || !contacts.any) return [];
    const scale = make('input', {type: 'range', min: -4, max: 4, step: 0.5, value: 0, 'aria-label': 'length of arrows',
      oninput: () => this.setScale(Number(scale.value))});
    this.scale = scale;
    this.legend = make('p', {class: 'scale'});
    this.tellScale();
    return [make('section', {}, make('label', {}, 'arrows ', scale), this.legend)];
  }
  setScale(power) {
    this.scale.value = power;
    this.contacts.factor = 2 ** power;
    this.tellScale();
    this.redraw();
  }
  tellScale() {
    const unit = this.contacts.unit[0] / this.contacts.factor;
    this.legend.textContent = `an arrow of ${number(0.22 * this.contacts.extent, 3)} is a force of ${number(unit, 3)}`;
  }
  tell(chosen) {
    this.chosen = chosen;
    this.list.value = chosen ? `${chosen.kind} ${chosen.index}` : '';
    this.update();
  }
  update() {
    const {chosen, data} = this;
    if (!chosen) return this.details.replaceChildren();
    const rows = chosen.kind === 'body' ? this.bodyRows(chosen.index) : this.contactRows(chosen.index);
    this.details.replaceChildren(make('h2', {}, chosen.kind === 'body' ? data.bodies[chosen.index] : data.contacts[chosen.index]), table(rows));
  }
  bodyRows(body) {
    if (body < 0) return [['', 'stands still']];
    const at = (part) => this.poses.number(body, part, this.player.frame);
    const solids = this.data.solids.filter((solid) => solid.body === body);
    return [['position', [0, 1, 2].map((k) => number(at(k))).join(', ')],
      ['quaternion', [3, 4, 5, 6].map((k) => number(at(k), 4)).join(', ')],
      solids.length > 0 && ['shape', [...new Set(solids.map((s) => s.kind))].join(', ')]];
  }
  contactRows(name) {
    const {contacts} = this, i = contacts.find(name);
    if (i < 0) return [['', 'not near at this time']];
    const range = (k) => {
      const [low, high] = contacts.interval(i, k);
      if (Number.isNaN(low) || Number.isNaN(high))  // of a motion nobody asks for it
        return number(contacts.value(i, k)) + (this.player.alternatives && contacts.status[i] > 1 ? ', interval not known' : '');
      return contacts.isOpen(i, k) ? `${number(contacts.value(i, k))}, of ${number(low)} to ${number(high)}` : number(contacts.value(i, k));
    };
    const what = contacts.percussion(i) ? 'percussion' : 'force', mu = contacts.friction(i);
    const tangential = Math.hypot(contacts.value(i, 1), contacts.value(i, 2)), normal = Math.abs(contacts.value(i, 0));
    return [['status', contacts.undetermined(i) ? `${statuses[contacts.status[i]].label}, force not determined` : statuses[contacts.status[i]].label],
      [`normal ${what}${this.data.bodies.length ? ', on the first body' : ''}`, range(0)],
      contacts.tangents(i).length > 0 && [`tangential ${what}`, contacts.tangents(i).map(range).join('; ')],
      mu > 0 && ['friction', number(mu)], mu > 0 && normal > 0 && ['of its bound', `${number(100 * tangential / (mu * normal), 3)} %`],
      ['point', [0, 1, 2].map((k) => number(contacts.number(i, k))).join(', ')]];
  }
}

function options(kind, names) {
  if (names.length === 0) return [];
  return [make('optgroup', {label: kind === 'body' ? 'bodies' : 'contacts'},
    ...names.slice(0, LISTED).map((name, k) => make('option', {value: `${kind} ${k}`}, name)))];
}

const SIGNS = {yes: '✓ yes', no: '✗ no', undecided: '? undecided'};

function verdicts(report) {
  const rows = Object.entries(report.verdicts ?? {}).map(([question, verdict]) => make('details', {class: `verdict ${verdict.answer}`},
    make('summary', {}, make('span', {class: 'answer'}, SIGNS[verdict.answer] ?? verdict.answer), question.replaceAll('_', ' ')),
    make('p', {}, verdict.by ?? ''), verdict.witness ? make('pre', {}, JSON.stringify(verdict.witness, null, 1)) : null));
  const count = report.solution_count;
  return make('section', {id: 'verdicts'}, make('h2', {}, 'Verdicts'),
    make('p', {}, count == null ? 'solutions: not counted' : `solutions: ${count}`), ...rows);
}
