/**
 * The client in the life of an application: it starts before all hooks of the application, so that those can take locks, and is stopped
 * after them, when nobody is left who could use it.
 */
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common'
import type { Simba } from '../runtime/simba.ts'

export class SimbaClient implements OnModuleInit, OnApplicationShutdown {
  readonly #simba: Simba

  constructor(simba: Simba) {
    this.#simba = simba
  }

  onModuleInit(): void {
    this.#simba.send({ type: 'START' })
  }

  /** Whatever is left of what was started by hand ends with it, in handover order. */
  async onApplicationShutdown(): Promise<void> {
    await this.#simba.stop()
  }
}
