// A conversation stays at its last line when its room gets smaller: a telephone is turned, or its keyboard opens.
export function stays(log: HTMLElement): { destroy: () => void } {
  const rests = 'onscrollend' in window ? 'scrollend' : 'scroll'; // on its way down it is not somewhere else
  let atEnd = true;
  const look = () => (atEnd = log.scrollHeight - log.clientHeight - log.scrollTop < 40);
  const watch = new ResizeObserver(() => {
    if (atEnd) log.scrollTop = log.scrollHeight;
  });
  watch.observe(log);
  log.addEventListener(rests, look, { passive: true });
  return {
    destroy() {
      watch.disconnect();
      log.removeEventListener(rests, look);
    },
  };
}
