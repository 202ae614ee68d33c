import { SessionBuilder } from './session-builder.mjs';

const PROJECT = '/demo/projects/lantern';

/** A terminal reader for e-books in Rust: an aborted turn, a failed turn, a damaged line, a session of pi. */
export function lanternSessions() {
  return [flickeringPages(), overloaded(), footnotes(), justifiedText()];
}

function flickeringPages() {
  const s = new SessionBuilder({
    project: 'lantern',
    id: '19c14be9031f5ad0',
    minutesAgo: 26 * 60,
    title: 'Pages flicker over a slow SSH line',
    titleSource: 'user',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.add('thinking_level_change', { thinkingLevel: 'high' });
  const start = s.user(
    'Turning a page over SSH flickers: the screen goes blank, then fills from the top. Reproduce it first.',
  );
  s.tool(
    'bash',
    { command: 'cargo run --release -- --trace-writes moby-dick.epub 2>trace.log; head -3 trace.log' },
    'write 4 bytes  "\\x1b[2J"\nwrite 7 bytes  "\\x1b[1;1H"\nwrite 83 bytes "CHAPTER 1. Loomings."',
    {
      thinking: 'If erase and text are separate writes, a slow line shows the gap. Trace the writes.',
    },
  );
  s.say('Reproduced: each page is an erase followed by 40 separate writes. On a slow line you see every one of them.');
  s.user('Rewrite the whole renderer with a virtual screen and cell diffing.');
  s.say('I will start with a `Cell` type, then a double buffer, then', {
    stopReason: 'aborted',
    errorMessage: 'Request was aborted.',
  });
  const smaller = s.user('Stop, too much. What is the smallest thing that would help?');
  s.say(
    'One buffer a page, one write, and the terminal\'s own synchronized update around it:\n\n```rust\nout.write_all(b"\\x1b[?2026h")?;\nout.write_all(&page)?;\nout.write_all(b"\\x1b[?2026l")?;\n```\n\nTerminals that do not know the mode ignore it. Eleven lines.',
  );
  s.tool(
    'edit',
    { path: `${PROJECT}/src/screen.rs`, oldText: 'self.erase()?;', newText: 'self.begin_update()?;' },
    'Edited src/screen.rs: 1 replacement',
  );
  s.tool('bash', { command: 'cargo test' }, 'running 58 tests\ntest result: ok. 58 passed; 0 failed');
  const merged = s.say('No flicker left at 9,600 baud, measured with `trickle -d 1`. 🏮');
  s.label(smaller, 'the smallest thing');
  s.label(merged, 'merged');
  s.label(start, 'reproduction');
  return s;
}

function overloaded() {
  const s = new SessionBuilder({
    project: 'lantern',
    id: '19c2be117d20e94c',
    minutesAgo: 7 * 60 + 12,
    title: 'Dictionary look-up with a popup',
    model: 'anthropic/claude-sonnet-4-5',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.user('Pressing d on a word should show its entry from the installed StarDict dictionaries.');
  s.tool('bash', { command: 'ls ~/.stardict/dic | head' }, 'wordnet.dict.dz\nwordnet.idx\nwordnet.ifo');
  s.say('', { stopReason: 'error', errorMessage: '529 {"type":"overloaded_error","message":"Overloaded"}' });
  return s;
}

function footnotes() {
  const s = new SessionBuilder({
    project: 'lantern',
    id: '19b88d4f6e0912bb',
    minutesAgo: 12 * 24 * 60,
    title: 'Footnotes jump to the wrong chapter',
  });
  s.add('model_change', { model: s.model, role: 'default' });
  s.user('In "Tristram Shandy" footnote 3 opens chapter 3. It should open the note.');
  s.tool(
    'grep',
    { pattern: 'fn resolve_href', path: 'src' },
    'src/epub/links.rs:71:fn resolve_href(&self, href: &str) -> Option<Target> {',
  );
  // The power went out here: half a line, and the agent went on in the next one.
  s.line('{"type":"message","id":"5e1f00d2","parentId":"');
  s.say(
    '`resolve_href` cuts at the first `#` and then looks for the *fragment* among the spine items. A note called `3` is taken for the third one.',
  );
  s.user('Resolve the path first, then the fragment inside it.');
  s.tool('bash', { command: 'cargo test links' }, 'running 9 tests\ntest result: ok. 9 passed; 0 failed');
  s.say("Fixed; Sterne's blank page is still blank, on purpose.");
  return s;
}

// As pi writes it: UUIDs, the model in two fields, the name in an entry of its own.
function justifiedText() {
  const s = new SessionBuilder({
    agent: 'pi',
    project: 'lantern',
    id: '019c3f52-7a10-7c44-9e02-5b1df0a3c771',
    minutesAgo: 2 * 24 * 60 + 45,
    model: 'openai/gpt-5.2',
  });
  s.add('model_change', { provider: 'openai', modelId: 'gpt-5.2' });
  s.add('thinking_level_change', { thinkingLevel: 'low' });
  const wanted = s.user([{ type: 'text', text: 'Justify paragraphs, but never stretch a gap beyond three cells.' }]);
  s.say(
    'Knuth and Plass with cells for points: the badness of a line grows with the cube of its stretch, and a gap above three cells is forbidden rather than bad.',
  );
  s.tool('bash', { command: 'cargo bench --bench justify' }, 'justify/moby-dick   time: [11.8 ms 11.9 ms 12.1 ms]');
  s.say('Twelve milliseconds for all of Moby-Dick, so there is no need to cache anything.');
  s.label(wanted, 'the rule');
  s.add('session_info', { name: 'Justified text, three cells at most' });
  return s;
}
