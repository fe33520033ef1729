/** `GET /health`: whether this instance has a session, and what it leads. */
import { Controller, Get, Inject } from '@nestjs/common'
import { HealthCheck, type HealthCheckResult, HealthCheckService } from '@nestjs/terminus'
import { SimbaHealthIndicator } from 'simba-xstate/nestjs'

@Controller('health')
export class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(SimbaHealthIndicator) private readonly simba: SimbaHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.simba.check('simba')])
  }
}
