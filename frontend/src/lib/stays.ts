// A conversation stays at its last line when its room gets smaller: a telephone is turned, or its keyboard opens.
export function stays(log: HTMLElement): { destroy: () => void } {
  let below = 0;
  const look = () => (below = log.scrollHeight - log.clientHeight - log.scrollTop);
  const watch = new ResizeObserver(() => {
    if (below < 40) log.scrollTop = log.scrollHeight;
    look();
  });
  watch.observe(log);
  log.addEventListener('scroll', look, { passive: true });
  return {
    destroy() {
      watch.disconnect();
      log.removeEventListener('scroll', look);
    },
  };
}
