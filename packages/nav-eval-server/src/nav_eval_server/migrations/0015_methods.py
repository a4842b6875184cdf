import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

WEB = django.core.validators.URLValidator(schemes=("http", "https"))


class Migration(migrations.Migration):
    dependencies = [("competition", "0014_images")]

    operations = [
        migrations.CreateModel(
            name="Method",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(blank=True, max_length=80)),
                ("affiliation", models.CharField(blank=True, max_length=80)),
                ("paper", models.CharField(blank=True, max_length=300, validators=[WEB])),
                ("code", models.CharField(blank=True, max_length=300, validators=[WEB])),
                ("model_size", models.CharField(blank=True, max_length=40)),
                ("sensors", models.CharField(blank=True, max_length=60)),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="method",
                        to="competition.submission",
                    ),
                ),
            ],
        ),
    ]
