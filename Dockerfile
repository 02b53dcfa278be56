FROM python:3.13-slim
RUN pip install --no-cache-dir "uv>=0.9"
WORKDIR /app
COPY pyproject.toml uv.lock README.md LICENSE ./
COPY sim sim
COPY results results
COPY workers workers
COPY cli cli
RUN uv sync --frozen --no-dev --compile-bytecode && useradd --uid 10001 fourfold && install -d -o fourfold /runs
ENV PATH=/app/.venv/bin:$PATH
USER fourfold
WORKDIR /runs
CMD ["fourfold", "--help"]
