/** Something that a person sets going: `busy` until it is done, `fault` if it failed. */
export class Work {
  busy = $state(false);
  fault = $state('');

  /** Do it; says whether it was done. `failed` is called when it was not, for instance to ask under another key. */
  async do(what: () => Promise<unknown>, failed: () => void = () => {}): Promise<boolean> {
    this.busy = true;
    this.fault = '';
    try {
      await what();
      return true;
    } catch (error) {
      this.fault = (error as Error).message;
      failed();
      return false;
    } finally {
      this.busy = false;
    }
  }
}
