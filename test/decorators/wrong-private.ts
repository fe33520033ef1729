/** What the compiler must refuse where decorators are standard; legacy ones cannot be written here at all. */
import type * as Decorators from 'simba-xstate/decorators'

export function makePrivate({ SimbaLeader }: typeof Decorators) {
  class WrongPrivate {
    // @ts-expect-error: a private method
    @SimbaLeader({ name: 'a' })
    #lead(): void {}

    isThere(): boolean {
      return #lead in this
    }
  }

  return { WrongPrivate }
}
