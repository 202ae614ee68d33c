import { SessionBuilder } from './session-builder.mjs';

const PROJECT = '/demo/projects/kumo-notes';

// One green pixel: small enough that agents keep it in the session file.
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A note-taking app whose people write Japanese and Chinese. */
export function kumoNotesSessions() {
  return [searchByReading(), darkTheme()];
}

function searchByReading() {
  const s = new SessionBuilder({
    project: 'kumo-notes',
    id: '19c2a95d4410b8f3',
    minutesAgo: 11 * 60,
    title: '読み仮名でノートを検索できるようにする',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.user('「くも」と入力したら「雲」も「蜘蛛」も見つかるようにしたい。まず今の検索の仕組みを調べて。');
  s.tool(
    'grep',
    { pattern: 'normalizeQuery', path: 'src' },
    'src/search/query.ts:14:export function normalizeQuery(text: string): string {',
  );
  s.tool(
    'read',
    { path: `${PROJECT}/src/search/query.ts` },
    "14\texport function normalizeQuery(text: string): string {\n15\t  return text.normalize('NFKC').toLowerCase();\n16\t}",
  );
  const ways = s.say(
    '今は NFKC 正規化と小文字化だけなので、読みでは一致しません。方法は二つあります。\n\n1. 保存時に読み仮名を付けて索引に入れる（速いが、索引が約 1.4 倍になる）\n2. 検索時に辞書で展開する（索引はそのまま、入力のたびに 3〜8 ミリ秒）',
    { thinking: '読みは文脈で変わる。保存時なら一度だけ解析すればよい。' },
  );
  s.user('二番目を試してみて。');
  s.tool(
    'bash',
    { command: 'npm run bench -- expand' },
    '「くも」 → 雲, 蜘蛛, 曇   3.1 ms\n「はし」 → 橋, 箸, 端     7.9 ms\n「こうしょう」 → 48 件    41.6 ms',
  );
  s.say('「こうしょう」が 48 通りに展開され、41.6 ミリ秒かかりました。同音異義語が多い語では体感できる遅さです。😵‍💫');
  s.branchTo(
    ways,
    '検索時の展開は同音異義語で遅い（「こうしょう」48 件、41.6 ms）。保存時に読みを索引へ入れる方法に戻る。',
  );
  const chosen = s.user('では一番目で。索引が大きくなるのは構わない。');
  s.tool(
    'write',
    {
      path: `${PROJECT}/src/search/readings.ts`,
      content:
        'export function readings(text: string): string[] {\n  return analyse(text).map((word) => toHiragana(word.reading));\n}\n',
    },
    'Wrote 118 bytes to src/search/readings.ts',
  );
  s.tool('bash', { command: 'npm test' }, 'Tests  74 passed (74)');
  s.say('できました。「くも」で「雲」「蜘蛛」「曇り」が見つかり、検索は 0.6 ミリ秒です。☁️🕷️👩🏽‍💻');
  s.label(chosen, '決定');
  return s;
}

function darkTheme() {
  const s = new SessionBuilder({
    project: 'kumo-notes',
    id: '19be04a3c97215de',
    minutesAgo: 5 * 24 * 60 + 30,
    title: '深色主题里的文字看不清',
    model: 'openai/gpt-5.2',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.user([
    { type: 'text', text: '深色主题下，标签的文字几乎看不见，截图如下。请检查所有颜色的对比度。' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
  ]);
  s.tool(
    'bash',
    { command: 'node scripts/contrast.mjs src/themes/dark.css' },
    '--label-fg / --label-bg   2.1 : 1   不合格\n--muted-fg / --bg         3.9 : 1   不合格\n其余 14 组                合格',
  );
  s.say(
    '有两组颜色低于 4.5 : 1：标签文字（2.1）和次要文字（3.9）。建议改成 `#c9e3b4` 和 `#a3adb8`，对比度分别是 8.7 和 6.2。',
  );
  const apply = s.user('同意，请修改，并把这个检查加到测试里。');
  s.tool(
    'edit',
    { path: `${PROJECT}/src/themes/dark.css`, oldText: '--label-fg: #55604c;', newText: '--label-fg: #c9e3b4;' },
    'Edited src/themes/dark.css: 1 replacement',
  );
  s.tool('bash', { command: 'npm test -- contrast' }, 'Tests  16 passed (16)');
  s.say('已修改。以后任何一组颜色低于 4.5 : 1，测试都会失败。🌙');
  s.label(apply, '对比度');
  return s;
}
