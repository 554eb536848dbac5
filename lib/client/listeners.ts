/**
 * Calls a listener of the application. As with event listeners, an error that it throws is reported as uncaught, and the
 * caller continues.
 */
export function callListener<Value>(listener: ((value: Value) => unknown) | undefined, value: Value): void {
  try {
    listener?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
