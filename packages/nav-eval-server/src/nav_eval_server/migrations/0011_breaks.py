from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0010_decisions")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="breaks",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
