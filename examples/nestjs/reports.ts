/** A report every few seconds, by one instance. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Inject, Injectable, Logger } from '@nestjs/common'
import type { Term } from 'simba-xstate'
import { SimbaScheduled } from 'simba-xstate/decorators'
import { Ledger } from './ledger.ts'

@Injectable()
export class Reports {
  readonly #logger = new Logger(Reports.name)

  constructor(@Inject(Ledger) private readonly ledger: Ledger) {}

  @SimbaScheduled({ name: 'report', fixedRate: '${report.every:3s}' })
  async report(term: Term): Promise<void> {
    const number = (await this.ledger.count('report')) + 1
    this.#logger.log(`report ${number} begins`)
    await sleep(100)
    if (term.remainingMs < 100) return
    await this.ledger.append('report', { number }, term.token)
    this.#logger.log(`report ${number} is written`)
  }
}
