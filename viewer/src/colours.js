// Colours that colour-blind readers can tell apart (Okabe and Ito), for both themes.

export const statuses = [
  {key: 'open', label: 'open', light: '#8a8f98', dark: '#7d838c'},
  {key: 'separating', label: 'separating', light: '#8a8f98', dark: '#9aa0a8'},
  {key: 'impacting', label: 'impacting', light: '#d55e00', dark: '#ff7a2b'},
  {key: 'sliding', label: 'sliding', light: '#e69f00', dark: '#f5b52e'},
  {key: 'sticking', label: 'sticking', light: '#0072b2', dark: '#4db4f0'},
  {key: 'undetermined', label: 'not determined', light: '#b0487f', dark: '#e38abb'},
];
export const UNDETERMINED = 5;

const light = ['#56616e', '#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#e69f00'];
const dark = ['#a9b4c0', '#4db4f0', '#ff8a47', '#2cc79c', '#e59cc4', '#e3c04a', '#8ccdf3', '#f5b52e'];
// Bodies: soft, so that forces stand out.
const bodiesLight = ['#9fb8d1', '#e3bf9f', '#a5cbb8', '#d5b3c8', '#cfc79a', '#b3b9c4', '#b7d6e6', '#dcb2a6'];
const bodiesDark = ['#6d89a6', '#a5805f', '#688f7c', '#94728a', '#8c855a', '#747b87', '#6f93a5', '#9b7368'];

let isDark = false;
export const theme = {
  get dark() { return isDark; },
  set dark(value) { isDark = value; },
  line: (k) => (isDark ? dark : light)[k % light.length],
  curve: (k) => (isDark ? dark : light)[1 + k % (light.length - 1)],
  body: (k) => (isDark ? bodiesDark : bodiesLight)[k % bodiesLight.length],
  status: (k) => statuses[k][isDark ? 'dark' : 'light'],
  get background() { return isDark ? '#14171c' : '#f6f7f9'; },
  get world() { return isDark ? '#2a3038' : '#dde1e6'; },
  get grid() { return isDark ? '#3a424d' : '#c3c9d1'; },
  get ink() { return isDark ? '#e8eaed' : '#1d2127'; },
  get chosen() { return isDark ? '#ffe14d' : '#f2c200'; },
};
